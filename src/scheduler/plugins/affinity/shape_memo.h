#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// Caches results per pod shape, by the shape's address; the shapes are kept alive. Lookups happen
// for tens of thousands of pods, so it is an open-addressing table. Its size is bounded: pods with
// unique labels (of StatefulSets) have unique shapes, which may be dropped.
template <typename Value>
class ShapeMemo {
 public:
  ShapeMemo() : places_(kFirstPlaces) {}

  // The result of `work_out(*shape)`. Valid until the next call.
  template <typename WorkOut>
  const Value& get(const ShapePtr& shape, WorkOut work_out) {
    if (shape.get() == last_) [[likely]]
      return kept_[last_index_].value;
    size_t place = find(shape.get());
    if (places_[place].shape == nullptr) {
      if (kept_.size() >= kMostShapes) forget_all();
      kept_.push_back({.shape = shape, .value = work_out(*shape)});
      if (2 * kept_.size() > places_.size()) grow();
      place = find(shape.get());
      places_[place] = {.shape = shape.get(), .index = static_cast<uint32_t>(kept_.size() - 1)};
    }
    last_ = shape.get();
    last_index_ = places_[place].index;
    return kept_[last_index_].value;
  }
  size_t size() const { return kept_.size(); }

 private:
  static constexpr size_t kFirstPlaces = 64;  // a power of two, as all later sizes
  static constexpr size_t kMostShapes = 4096;

  struct Place {
    const PodShape* shape = nullptr;
    uint32_t index = 0;
  };
  struct Kept {
    ShapePtr shape = {};
    Value value = {};
  };

  // Where it is, or where it would go.
  size_t find(const PodShape* shape) const {
    const size_t mask = places_.size() - 1;
    size_t place = hash(shape) & mask;
    while (places_[place].shape != nullptr && places_[place].shape != shape) {
      place = (place + 1) & mask;
    }
    return place;
  }
  // Addresses of such objects differ in their middle bits.
  static size_t hash(const PodShape* shape) {
    return (reinterpret_cast<uintptr_t>(shape) * 0x9E3779B97F4A7C15u) >> 32;
  }
  void grow() {
    places_.assign(2 * places_.size(), Place{});
    for (size_t i = 0; i < kept_.size(); ++i) {
      const PodShape* shape = kept_[i].shape.get();
      places_[find(shape)] = {.shape = shape, .index = static_cast<uint32_t>(i)};
    }
  }
  void forget_all() {
    kept_.clear();
    places_.assign(kFirstPlaces, Place{});
    last_ = nullptr;
  }

  std::vector<Place> places_;
  std::vector<Kept> kept_;
  const PodShape* last_ = nullptr;  // neighbours are often of one template
  size_t last_index_ = 0;
};

}  // namespace proa::scheduler
