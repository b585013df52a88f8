#include "scheduler/model/labels.h"

namespace proa::scheduler {

Labels::Labels(std::span<const api::LabelPair> labels) {
  size_t size = 0;
  for (const auto& [key, value] : labels) size += key.size() + value.size();
  text_.reserve(size);
  pairs_.reserve(labels.size());
  const auto keep = [this](std::string_view text) {
    const char* begin = text_.data() + text_.size();
    text_.insert(text_.end(), text.begin(), text.end());
    return std::string_view(begin, text.size());
  };
  for (const auto& [key, value] : labels) {
    const std::string_view kept_key = keep(key);
    pairs_.emplace_back(kept_key, keep(value));
  }
}

const std::string_view* Labels::find(std::string_view key) const {
  for (const auto& [name, value] : pairs_) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace proa::scheduler
