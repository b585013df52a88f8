#include "api/apply/managed/conflicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"

namespace proa::api {
namespace conflicts {

// More than anyone reads; each is written twice.
constexpr size_t kMaxCauses = 1'000;

std::string owner_text(const ManagedEntry& owner) {
  std::string text = quoted(owner.manager);
  if (!owner.subresource.empty()) text += " with subresource " + quoted(owner.subresource);
  if (!owner.applied) text += " using " + owner.api_version;
  return text;
}

}  // namespace conflicts

Status conflict_status(std::span<const Conflict> conflicts) {
  std::vector<const Conflict*> sorted;
  for (const Conflict& conflict : conflicts) sorted.push_back(&conflict);
  std::ranges::sort(sorted, {},
                    [](const Conflict* conflict) { return conflict->owner.identity(); });
  StatusDetails details;
  std::string lines;
  std::string last_path;
  size_t count = 0;
  for (const Conflict* conflict : sorted) {
    const std::string owner = conflicts::owner_text(conflict->owner);
    if (!lines.empty()) lines += '\n';
    lines += fmt::format("conflicts with {}:", owner);
    conflict->fields.for_each([&](std::span<const Element> path) {
      if (++count > conflicts::kMaxCauses) return;
      last_path = path_text(path);
      lines += "\n- " + last_path;
      details.causes.push_back({.reason = "FieldManagerConflict",
                                .message = "conflict with " + owner,
                                .field = last_path});
    });
  }
  const std::string message = count == 1
                                  ? fmt::format("Apply failed with 1 conflict: {}: {}",
                                                details.causes[0].message, last_path)
                                  : fmt::format("Apply failed with {} conflicts: {}", count, lines);
  return Status(Reason::kConflict, message).with_details(std::move(details));
}

}  // namespace proa::api
