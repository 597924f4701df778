// NumPy arrays for all bindings: contiguous views of what comes in, vectors moved out without a copy, and the
// check of offsets that several kernels rely on.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace storymeter {

template <typename T>
using ArrayIn = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <typename T>
using MatrixIn = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
// Memory of the caller that a kernel fills, of any shape or of two dimensions.
template <typename T>
using ArrayOut = nanobind::ndarray<T, nanobind::c_contig, nanobind::device::cpu>;
template <typename T>
using MatrixOut = nanobind::ndarray<T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

// All values of an array, row after row.
template <typename Array>
auto view(const Array& array) {
    return std::span{array.data(), array.size()};
}

// Whether offsets rise from 0 to `total`, so that run k is [offset[k], offset[k + 1]).
inline bool are_offsets(std::span<const std::int64_t> offsets, std::size_t total) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(total))
        return false;
    for (std::size_t k = 1; k < offsets.size(); ++k)
        if (offsets[k] < offsets[k - 1]) return false;
    return true;
}

// The vector's memory as a NumPy array of this shape; the array owns it.
template <std::size_t Dimensions, typename T>
nanobind::object to_numpy(std::vector<T>&& values, const std::size_t (&shape)[Dimensions]) {
    using Number = std::conditional_t<std::is_same_v<T, std::byte>, std::uint8_t, T>;
    auto* kept = new std::vector<T>(std::move(values));
    nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<Dimensions>>(
        reinterpret_cast<Number*>(kept->data()), Dimensions, shape, owner));
}

template <typename T>
nanobind::object to_numpy(std::vector<T>&& values) {
    const std::size_t shape[1] = {values.size()};
    return to_numpy(std::move(values), shape);
}

// The same for rows that are std::arrays.
template <typename T, std::size_t Columns>
nanobind::object to_numpy(std::vector<std::array<T, Columns>>&& rows) {
    using Rows = std::vector<std::array<T, Columns>>;
    auto* kept = new Rows(std::move(rows));
    nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<Rows*>(p); });
    const std::size_t shape[2] = {kept->size(), Columns};
    T* const first = kept->empty() ? nullptr : kept->data()->data();
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(first, 2, shape, owner));
}

}  // namespace storymeter
