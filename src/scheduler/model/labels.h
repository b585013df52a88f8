#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/selector/label_selector.h"

namespace proa::scheduler {

// Labels that own their text, so that they outlive the object they were read from.
class Labels {
 public:
  Labels() = default;
  explicit Labels(std::span<const api::LabelPair> labels);

  std::span<const api::LabelPair> all() const { return pairs_; }
  // Null if there is no such label.
  const std::string_view* find(std::string_view key) const;

 private:
  std::vector<char> text_;  // a vector keeps its buffer when moved
  std::vector<api::LabelPair> pairs_;
};

}  // namespace proa::scheduler
