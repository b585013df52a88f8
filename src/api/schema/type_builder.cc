#include "api/schema/type_builder.h"

#include <algorithm>
#include <limits>

namespace proa::api {

void TypeBuilder::add(const Field& field, std::string_view description) {
  if (field.number > 0)
    levels_.back().entries.push_back(
        {field.number, static_cast<uint32_t>(fields_.size()), nullptr});
  fields_.push_back(field);
  descriptions_.push_back(description);
  described_ = described_ || !description.empty();
}

void TypeBuilder::begin_group(uint32_t number, std::string_view name) {
  levels_.push_back({number, name, {}});
}

void TypeBuilder::end_group() {
  CHECK(levels_.size() > 1);
  Level level = std::move(levels_.back());
  levels_.pop_back();
  auto* wire = new (arena_.allocate(sizeof(Wire), alignof(Wire))) Wire(seal(level));
  levels_.back().entries.push_back({level.number, 0, wire});
}

Wire TypeBuilder::seal(Level& level) {
  std::sort(level.entries.begin(), level.entries.end(),
            [](const Wire::Entry& a, const Wire::Entry& b) { return a.number < b.number; });
  const auto same =
      std::adjacent_find(level.entries.begin(), level.entries.end(),
                         [](const auto& a, const auto& b) { return a.number == b.number; });
  if (same != level.entries.end())
    problem_ = "number " + std::to_string(same->number) + " is used twice";
  const auto groups = std::count_if(level.entries.begin(), level.entries.end(),
                                    [](const auto& entry) { return entry.group != nullptr; });
  if (groups > 1) problem_ = "more than one inline group in one message";
  return {keep<Wire::Entry>(arena_, level.entries), level.name};
}

Result<void> TypeBuilder::finish(Type& type) {
  CHECK(levels_.size() == 1);
  CHECK(fields_.size() < std::numeric_limits<uint16_t>::max());
  type.wire = seal(levels_.front());
  type.fields = keep<Field>(arena_, fields_);
  if (described_) type.descriptions = keep<std::string_view>(arena_, descriptions_);
  type.unions = keep<Union>(arena_, unions_);

  std::vector<uint16_t> order(fields_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint16_t>(i);
  std::sort(order.begin(), order.end(),
            [&](uint16_t a, uint16_t b) { return fields_[a].name < fields_[b].name; });
  type.by_name = keep<uint16_t>(arena_, order);

  for (size_t i = 1; i < order.size(); ++i) {
    if (fields_[order[i - 1]].name == fields_[order[i]].name)
      problem_ = "field " + std::string(fields_[order[i]].name) + " is defined twice";
  }
  for (const uint32_t number : removed_) {
    if (type.wire.find(number) != nullptr)
      problem_ = "number " + std::to_string(number) + " was removed and must not be used again";
  }
  if (!problem_.empty()) return Status(Reason::kInternalError, problem_);
  return {};
}

}  // namespace proa::api
