#include "apiserver/objects/list.h"

#include "apiserver/objects/continue_token.h"
#include "apiserver/objects/keys.h"

namespace proa::apiserver {
namespace list {

using store::EntryPtr;
using store::KeyRange;
using store::Revision;

// What to read and at which revision.
struct Plan {
  std::string prefix;
  KeyRange keys;
  Revision revision;  // zero: current
  bool resumes = false;
};

// A paginated list may continue at the current revision, flagged as inconsistent.
Status expired(const Plan& plan) {
  if (!plan.resumes)
    return {Reason::kExpired, "The resourceVersion for the provided list is too old."};
  StatusDetails details;
  details.continue_token = ContinueToken{{-1}, plan.keys.from.substr(plan.prefix.size())}.encode();
  return Status(Reason::kExpired,
                "The provided continue parameter is too old to display a consistent list result. "
                "You can start a new list without the continue parameter, or use the continue "
                "token in this response to retrieve the remainder of the results. Continuing with "
                "the provided token results in an inconsistent list - objects that were created, "
                "modified, or deleted between the time the first chunk was returned and now may "
                "show up in the list.")
      .with_details(std::move(details));
}

Result<Plan> make_plan(const store::Store& store, const Request& request,
                       const ListOptions& options) {
  Plan plan{.prefix = prefix_of(*request.resource, request.name_space)};
  plan.keys = KeyRange::prefix(plan.prefix);
  if (!options.continue_token.empty()) {
    if (!options.resource_version.empty() && options.resource_version != "0") {
      return Status(Reason::kBadRequest,
                    "specifying resource version is not allowed when using continue");
    }
    const ContinueToken token = TRY(ContinueToken::decode(options.continue_token));
    plan.keys.from = plan.prefix + token.start;
    plan.resumes = true;
    if (token.revision.value > 0) plan.revision = token.revision;
    return plan;
  }
  if (options.resource_version.empty()) return plan;
  const int64_t asked = TRY(parse_resource_version(options.resource_version));
  // Without resourceVersionMatch, a limit implies an exact match: upstream's legacy rule.
  const bool exact = options.match == VersionMatch::kExact ||
                     (options.match == VersionMatch::kUnset && options.limit > 0 && asked > 0);
  if (asked > store.revision().value) {
    return too_large_resource_version(asked, store.revision().value);
  }
  if (exact) plan.revision = {asked};
  return plan;
}

// After the last key read.
std::string start_after(const Plan& plan, std::string_view key) {
  std::string start(key.substr(plan.prefix.size()));
  start.push_back('\0');
  return start;
}

Result<Listed> read_one(const store::Store& store, const Plan& plan, const std::string& key,
                        const Selection& selection) {
  Listed listed{.entries = {}, .revision = plan.revision, .continue_token = {}, .remaining = {}};
  if (plan.revision == Revision{}) listed.revision = store.revision();
  const EntryPtr entry = TRY(store.get(key, plan.revision));
  // A write after the revision was read makes the list that much newer.
  if (entry != nullptr) {
    listed.revision = std::max(listed.revision, entry->mod_revision());
    if (selection.matches(object_in(*entry))) listed.entries.push_back(entry);
  }
  return listed;
}

// Pages with selectors: reads until the page is full.
Result<Listed> read_selected(const store::Store& store, Plan plan, size_t limit,
                             const Selection& selection) {
  Listed listed;
  constexpr size_t kChunk = 1000;
  listed.revision = plan.revision;
  while (true) {
    const bool paged = limit != 0;
    store::RangeResult range = TRY(
        store.range({.keys = plan.keys, .revision = listed.revision, .limit = paged ? kChunk : 0}));
    listed.revision = range.revision;
    for (size_t i = 0; i < range.entries.size(); ++i) {
      EntryPtr& entry = range.entries[i];
      if (!selection.matches(object_in(*entry))) continue;
      listed.entries.push_back(std::move(entry));
      if (!paged || listed.entries.size() < limit) continue;
      // As upstream, whether another one matches or not.
      if (i + 1 < range.entries.size() || range.more) {
        const std::string start = start_after(plan, listed.entries.back()->key());
        listed.continue_token = ContinueToken{listed.revision, start}.encode();
      }
      return listed;
    }
    if (!range.more) return listed;
    plan.keys.from = plan.prefix + start_after(plan, range.entries.back()->key());
  }
}

Result<Listed> read_all(const store::Store& store, const Plan& plan, size_t limit) {
  store::RangeResult range =
      TRY(store.range({.keys = plan.keys, .revision = plan.revision, .limit = limit}));
  Listed listed{.entries = std::move(range.entries),
                .revision = range.revision,
                .continue_token = {},
                .remaining = {}};
  if (!range.more) return listed;
  const std::string start = start_after(plan, listed.entries.back()->key());
  listed.continue_token = ContinueToken{listed.revision, start}.encode();
  const KeyRange rest{.from = plan.prefix + start, .to = plan.keys.to};
  listed.remaining = static_cast<int64_t>(TRY(store.count(rest, listed.revision)));
  return listed;
}

}  // namespace list

Status too_large_resource_version(int64_t asked, int64_t current) {
  StatusDetails details;
  details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  details.retry_after_seconds = 1;
  return Status(Reason::kTimeout, "Timeout: Too large resource version: " + std::to_string(asked) +
                                      ", current: " + std::to_string(current))
      .with_details(std::move(details));
}

Result<Listed> list_objects(const store::Store& store, const Request& request,
                            const ListOptions& options, const Selection& selection) {
  Request narrowed;
  const Request* asked = &request;
  if (selection.only_namespace() && request.name_space.empty() && request.resource->namespaced) {
    narrowed = request;
    narrowed.name_space = *selection.only_namespace();
    asked = &narrowed;
  }
  const list::Plan plan = TRY(list::make_plan(store, *asked, options));
  // As upstream's watch cache, "any version" is answered with everything.
  const bool any_version = options.resource_version == "0" && options.continue_token.empty();
  const auto limit =
      any_version ? size_t{0} : static_cast<size_t>(std::max<int64_t>(options.limit, 0));
  const bool one = selection.only_name() && !plan.resumes &&
                   (!request.resource->namespaced || !asked->name_space.empty());
  Result<Listed> listed =
      one ? list::read_one(store, plan, plan.prefix + *selection.only_name(), selection)
      : selection.everything() ? list::read_all(store, plan, limit)
                               : list::read_selected(store, plan, limit, selection);
  if (listed.is(Reason::kExpired)) return list::expired(plan);
  return listed;
}

Result<store::EntryPtr> get_object(const store::Store& store, const Request& request,
                                   std::string_view minimum) {
  if (!minimum.empty()) {
    const int64_t asked = TRY(parse_resource_version(minimum));
    const int64_t current = store.revision().value;
    if (asked > current) return too_large_resource_version(asked, current);
  }
  store::EntryPtr entry =
      TRY(store.get(key_of(*request.resource, request.name_space, request.name)));
  if (entry == nullptr) return request.not_found();
  return entry;
}

}  // namespace proa::apiserver
