#include "controllers/network/slices/packing.h"

#include <algorithm>
#include <unordered_map>

namespace proa::controllers {
namespace packing {

// Unplaced endpoints, in order.
class Waiting {
 public:
  explicit Waiting(std::span<SliceEndpoint> wanted) {
    marks_.reserve(wanted.size());
    for (SliceEndpoint& endpoint : wanted) {
      const EndpointMark mark = endpoint.mark();
      // Duplicates are dropped.
      if (!by_identity_.try_emplace(mark.identity, marks_.size()).second) continue;
      marks_.push_back(mark);
      endpoints_.push_back(&endpoint);
    }
    left_ = endpoints_.size();
  }

  struct Found {
    SliceEndpoint* endpoint;
    EndpointMark mark;
  };
  // Takes the endpoint of that identity; nullopt if there is none.
  std::optional<Found> take(uint64_t identity) {
    const auto found = by_identity_.find(identity);
    if (found == by_identity_.end()) return std::nullopt;
    const size_t index = found->second;
    by_identity_.erase(found);
    --left_;
    return Found{std::exchange(endpoints_[index], nullptr), marks_[index]};
  }
  // Takes as many as fit.
  void fill(PackedSlice& slice, size_t most) {
    while (left_ > 0 && slice.endpoints.size() < most) {
      SliceEndpoint* const endpoint = std::exchange(endpoints_[next_++], nullptr);
      if (endpoint == nullptr) continue;
      slice.endpoints.push_back(endpoint);
      slice.changed = true;
      --left_;
    }
  }
  size_t left() const { return left_; }

 private:
  std::vector<EndpointMark> marks_;
  std::vector<SliceEndpoint*> endpoints_;  // null: placed
  std::unordered_map<uint64_t, size_t> by_identity_;
  size_t next_ = 0;
  size_t left_ = 0;
};

// The remaining endpoints of a slice; `changed` if any was removed or updated.
PackedSlice keep(const ExistingSlice& slice, Waiting& waiting, Hints hints) {
  PackedSlice kept;
  for (const EndpointMark& before : slice.facts->endpoints) {
    const std::optional<Waiting::Found> found = waiting.take(before.identity);
    if (!found) continue;
    kept.endpoints.push_back(found->endpoint);
    if (found->mark.content != before.content) kept.changed = true;
    if (hints == Hints::kCompare && found->mark.hints != before.hints) kept.changed = true;
  }
  if (kept.endpoints.size() != slice.facts->endpoints.size()) kept.changed = true;
  return kept;
}

void fill_changed(std::vector<PackedSlice>& slices, Waiting& waiting, size_t most) {
  std::vector<PackedSlice*> changed;
  for (PackedSlice& slice : slices) {
    if (slice.changed) changed.push_back(&slice);
  }
  std::stable_sort(changed.begin(), changed.end(), [](const PackedSlice* a, const PackedSlice* b) {
    return a->endpoints.size() > b->endpoints.size();
  });
  for (PackedSlice* slice : changed) waiting.fill(*slice, most);
}

// The slice that would be fullest with all unplaced endpoints; null if none has room.
PackedSlice* unchanged_with_room(std::vector<PackedSlice>& slices, size_t waiting, size_t most) {
  PackedSlice* fullest = nullptr;
  for (PackedSlice& slice : slices) {
    if (slice.changed || slice.endpoints.size() + waiting > most) continue;
    if (fullest == nullptr || slice.endpoints.size() > fullest->endpoints.size()) fullest = &slice;
  }
  return fullest;
}

}  // namespace packing

Packing pack_endpoints(std::span<const ExistingSlice> existing, std::span<SliceEndpoint> wanted,
                       size_t most, Hints hints) {
  Packing packed;
  packing::Waiting waiting(wanted);
  for (size_t i = 0; i < existing.size(); ++i) {
    PackedSlice slice = packing::keep(existing[i], waiting, hints);
    if (slice.changed && slice.endpoints.empty()) {
      packed.removed.push_back(i);
      continue;
    }
    slice.existing = i;
    slice.changed = slice.changed || existing[i].outdated;
    packed.slices.push_back(std::move(slice));
  }
  packing::fill_changed(packed.slices, waiting, most);
  while (waiting.left() > 0) {
    PackedSlice* slice = waiting.left() < most
                             ? packing::unchanged_with_room(packed.slices, waiting.left(), most)
                             : nullptr;
    if (slice == nullptr) slice = &packed.slices.emplace_back();
    waiting.fill(*slice, most);
  }
  return packed;
}

}  // namespace proa::controllers
