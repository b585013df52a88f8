#include "json/builder.h"

#include <algorithm>
#include <memory>

namespace proa::json {

void Builder::begin(Kind kind) {
  frames_.push_back({kind, pending_.size(), std::exchange(key_, {})});
  deepest_ = std::max(deepest_, frames_.size());
}

void Builder::end() {
  const Frame frame = frames_.back();
  Value value = frame.kind == Kind::kArray ? end_array(frame) : end_object(frame);
  frames_.pop_back();
  pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(frame.start), pending_.end());
  pending_.push_back({frame.key, std::move(value)});
}

Value Builder::end_array(const Frame& frame) {
  Value array = Value::array();
  const size_t count = pending_.size() - frame.start;
  if (count == 0) return array;
  array.reserve_items(arena_, static_cast<uint32_t>(count));
  Value* next = array.content_.array->items();
  for (size_t i = frame.start; i < pending_.size(); ++i) {
    new (next++) Value(std::move(pending_[i].value));
  }
  array.size_ = static_cast<uint32_t>(count);
  return array;
}

Value Builder::end_object(const Frame& frame) {
  Value object = Value::object();
  const size_t count = pending_.size() - frame.start;
  if (count == 0) return object;
  object.reserve_members(arena_, static_cast<uint32_t>(count));
  KeyIndex& index = object.content_.object->index;
  Member* const members = object.first_member();
  for (size_t i = frame.start; i < pending_.size(); ++i) {
    Member& member = *new (members + object.size_) Member(std::move(pending_[i]));
    Member* present = nullptr;
    if (!index.empty()) {
      present = members + index.find_or_add(members, object.size_);
    } else {
      present =
          std::find_if(members, &member, [&](const Member& m) { return m.key == member.key; });
    }
    if (present == &member) {
      ++object.size_;
    } else {
      report_duplicate(member.key);
      present->value = std::move(member.value);
    }
  }
  return object;
}

void Builder::report_duplicate(std::string_view key) {
  if (duplicates_ == nullptr || duplicates_->size() >= kMaxReported ||
      reported_bytes_ >= kMaxReportedBytes) {
    return;
  }
  std::string path;
  for (size_t i = 1; i < frames_.size(); ++i) {
    const Frame& parent = frames_[i - 1];
    if (parent.kind == Kind::kArray) {
      path += '[' + std::to_string(frames_[i].start - parent.start) + ']';
    } else {
      if (!path.empty()) path += '.';
      path += frames_[i].key;
    }
  }
  if (!path.empty()) path += '.';
  path += key;
  reported_bytes_ += path.size();
  duplicates_->push_back(std::move(path));
}

Value Builder::take() {
  CHECK(frames_.empty() && pending_.size() == 1);
  Value value = std::move(pending_.front().value);
  pending_.clear();
  return value;
}

}  // namespace proa::json
