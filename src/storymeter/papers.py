"""The papers behind the measures and tests, by key: cited in reports, printed as BibTeX.

>>> PAPERS["denkowski2014"].short
'Denkowski and Lavie, 2014'
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    authors: tuple[str, ...]
    title: str
    year: int
    where: str
    kind: str = "inproceedings"

    @property
    def short(self) -> str:
        """Fujita et al., 2020"""
        names = [author.split(",")[0] for author in self.authors]
        who = (
            names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        )
        return f"{who}, {self.year}"

    @property
    def citation(self) -> str:
        """
        >>> PAPERS["lin2004"].citation
        'Lin, 2004. ROUGE: A Package for Automatic Evaluation of Summaries.'
        """
        return f"{self.short}. {self.title}."

    def bibtex(self, key: str) -> str:
        place = {"inproceedings": "booktitle", "article": "journal", "book": "publisher"}[self.kind]
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            place: self.where,
            "year": str(self.year),
        }
        inside = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{self.kind}{{{key},\n{inside}\n}}"


def _authors(text: str) -> tuple[str, ...]:
    return tuple(text.split("; "))


PAPERS = {
    "anderson2016": Paper(
        _authors("Anderson, Peter; Fernando, Basura; Johnson, Mark; Gould, Stephen"),
        "SPICE: Semantic Propositional Image Caption Evaluation",
        2016,
        "Computer Vision -- ECCV 2016",
    ),
    "denkowski2014": Paper(
        _authors("Denkowski, Michael; Lavie, Alon"),
        "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
        2014,
        "Proceedings of the Ninth Workshop on Statistical Machine Translation",
    ),
    "fujita2020": Paper(
        _authors("Fujita, Soichiro; Hirao, Tsutomu; Kamigaito, Hidetaka; Okumura, Manabu; Nagata, Masaaki"),
        "SODA: Story Oriented Dense Video Captioning Evaluation Framework",
        2020,
        "Computer Vision -- ECCV 2020",
    ),
    "graham2018": Paper(
        _authors("Graham, Yvette; Awad, George; Smeaton, Alan"),
        "Evaluation of automatic video captioning using direct assessment",
        2018,
        "PLOS ONE",
        "article",
    ),
    "han2013": Paper(
        _authors("Han, Lushan; Kashyap, Abhay L.; Finin, Tim; Mayfield, James; Weese, Jonathan"),
        "UMBC_EBIQUITY-CORE: Semantic Textual Similarity Systems",
        2013,
        "Second Joint Conference on Lexical and Computational Semantics (*SEM)",
    ),
    "hessel2021": Paper(
        _authors("Hessel, Jack; Holtzman, Ari; Forbes, Maxwell; Le Bras, Ronan; Choi, Yejin"),
        "CLIPScore: A Reference-free Evaluation Metric for Image Captioning",
        2021,
        "Proceedings of EMNLP 2021",
    ),
    "holm1979": Paper(
        ("Holm, Sture",),
        "A Simple Sequentially Rejective Multiple Test Procedure",
        1979,
        "Scandinavian Journal of Statistics",
        "article",
    ),
    "jiang2019": Paper(
        _authors(
            "Jiang, Ming; Huang, Qiuyuan; Zhang, Lei; Wang, Xin; Zhang, Pengchuan; Gan, Zhe; Diesner, Jana;"
            " Gao, Jianfeng"
        ),
        "TIGEr: Text-to-Image Grounding for Image Caption Evaluation",
        2019,
        "Proceedings of EMNLP-IJCNLP 2019",
    ),
    "koehn2004": Paper(
        ("Koehn, Philipp",),
        "Statistical Significance Tests for Machine Translation Evaluation",
        2004,
        "Proceedings of EMNLP 2004",
    ),
    "krishna2017": Paper(
        _authors("Krishna, Ranjay; Hata, Kenji; Ren, Frederic; Fei-Fei, Li; Niebles, Juan Carlos"),
        "Dense-Captioning Events in Videos",
        2017,
        "Proceedings of ICCV 2017",
    ),
    "kusner2015": Paper(
        _authors("Kusner, Matt J.; Sun, Yu; Kolkin, Nicholas I.; Weinberger, Kilian Q."),
        "From Word Embeddings To Document Distances",
        2015,
        "Proceedings of ICML 2015",
    ),
    "li2016": Paper(
        _authors("Li, Jiwei; Galley, Michel; Brockett, Chris; Gao, Jianfeng; Dolan, Bill"),
        "A Diversity-Promoting Objective Function for Neural Conversation Models",
        2016,
        "Proceedings of NAACL-HLT 2016",
    ),
    "lin2004": Paper(
        ("Lin, Chin-Yew",),
        "ROUGE: A Package for Automatic Evaluation of Summaries",
        2004,
        "Text Summarization Branches Out",
    ),
    "noreen1989": Paper(
        ("Noreen, Eric W.",),
        "Computer-Intensive Methods for Testing Hypotheses: An Introduction",
        1989,
        "Wiley",
        "book",
    ),
    "papineni2002": Paper(
        _authors("Papineni, Kishore; Roukos, Salim; Ward, Todd; Zhu, Wei-Jing"),
        "BLEU: a Method for Automatic Evaluation of Machine Translation",
        2002,
        "Proceedings of ACL 2002",
    ),
    "reimers2019": Paper(
        _authors("Reimers, Nils; Gurevych, Iryna"),
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks",
        2019,
        "Proceedings of EMNLP-IJCNLP 2019",
    ),
    "shetty2017": Paper(
        _authors("Shetty, Rakshith; Rohrbach, Marcus; Hendricks, Lisa Anne; Fritz, Mario; Schiele, Bernt"),
        "Speaking the Same Language: Matching Machine to Human Captions by Adversarial Training",
        2017,
        "Proceedings of ICCV 2017",
    ),
    "shi2022": Paper(
        _authors("Shi, Yaya; Yang, Xu; Xu, Haiyang; Yuan, Chunfeng; Li, Bing; Hu, Weiming; Zha, Zheng-Jun"),
        "EMScore: Evaluating Video Captioning via Coarse-Grained and Fine-Grained Embedding Matching",
        2022,
        "Proceedings of CVPR 2022",
    ),
    "vedantam2015": Paper(
        _authors("Vedantam, Ramakrishna; Zitnick, C. Lawrence; Parikh, Devi"),
        "CIDEr: Consensus-based Image Description Evaluation",
        2015,
        "Proceedings of CVPR 2015",
    ),
    "wang2022": Paper(
        _authors("Wang, Eileen; Han, Caren; Poon, Josiah"),
        "RoViST: Learning Robust Metrics for Visual Storytelling",
        2022,
        "Findings of NAACL 2022",
    ),
    "xiong2018": Paper(
        _authors("Xiong, Yilei; Dai, Bo; Lin, Dahua"),
        "Move Forward and Tell: A Progressive Generator of Video Descriptions",
        2018,
        "Computer Vision -- ECCV 2018",
    ),
    "yang2023": Paper(
        _authors("Yang, Antoine; Nagrani, Arsha; Laptev, Ivan; Sivic, Josef; Schmid, Cordelia"),
        "VidChapters-7M: Video Chapters at Scale",
        2023,
        "Advances in Neural Information Processing Systems",
    ),
    "liu2023": Paper(
        _authors("Liu, Hui; Wan, Xiaojun"),
        "Models See Hallucinations: Evaluating the Factuality in Video Captioning",
        2023,
        "EMNLP",
    ),
    "liu2023geval": Paper(
        _authors("Liu, Yang; Iter, Dan; Xu, Yichong; Wang, Shuohang; Xu, Ruochen; Zhu, Chenguang"),
        "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment",
        2023,
        "Proceedings of EMNLP 2023",
    ),
    "zhang2020": Paper(
        _authors("Zhang, Tianyi; Kishore, Varsha; Wu, Felix; Weinberger, Kilian Q.; Artzi, Yoav"),
        "BERTScore: Evaluating Text Generation with BERT",
        2020,
        "International Conference on Learning Representations",
    ),
    "zhu2018": Paper(
        _authors("Zhu, Yaoming; Lu, Sidi; Zheng, Lei; Guo, Jiaxian; Zhang, Weinan; Wang, Jun; Yu, Yong"),
        "Texygen: A Benchmarking Platform for Text Generation Models",
        2018,
        "Proceedings of SIGIR 2018",
    ),
}
