// Python's strings and buffers as views, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace storymeter {

// The texts of a list as Python's own UTF-8. They are kept alive here, because other threads may change the
// list while a kernel runs without the interpreter's lock.
class Texts {
  public:
    explicit Texts(const nanobind::list& list) : kept_(list) {
        const std::size_t count = kept_.size();
        views_.reserve(count);
        for (std::size_t k = 0; k < count; ++k) {
            const nanobind::handle text = kept_[k];
            if (!PyUnicode_Check(text.ptr()))
                throw nanobind::type_error(("text " + std::to_string(k + 1) + " is no string").c_str());
            Py_ssize_t size = 0;
            const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
            if (data == nullptr) throw nanobind::python_error();
            views_.emplace_back(data, static_cast<std::size_t>(size));
        }
    }

    const std::vector<std::string_view>& views() const { return views_; }
    std::size_t size() const { return views_.size(); }

  private:
    nanobind::tuple kept_;
    std::vector<std::string_view> views_;
};

// The bytes of any object with a readable buffer (bytes, a memory map); the object lives as long as this.
class Buffer {
  public:
    explicit Buffer(nanobind::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nanobind::python_error();
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::string_view text() const {
        return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }
    std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }

  private:
    Py_buffer view_{};
};

}  // namespace storymeter
