#include "apiserver/request/options.h"

#include <algorithm>
#include <atomic>

#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "api/validation/metadata.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace options {

using api::FieldErrors;
using api::Path;

std::atomic<uint64_t> queries{0};

void count_query() { queries.fetch_add(1, std::memory_order_relaxed); }

// The kind in error messages.
std::string_view kind_of(api::Verb verb) {
  if (verb == api::Verb::kUpdate) return "UpdateOptions";
  return verb == api::Verb::kPatch ? "PatchOptions" : "CreateOptions";
}

std::string text(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  return found == nullptr ? std::string() : *found;
}

// As upstream's query decoder: any value but "false" and "0" is true, even an empty one.
bool flag(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  return found != nullptr && *found != "0" && !equals_ignoring_case(*found, "false");
}

// What Go's strconv says about a text that is not a number of 64 bits.
std::string_view number_problem(std::string_view text, bool is_signed) {
  if (is_signed && (text.starts_with('-') || text.starts_with('+'))) text.remove_prefix(1);
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return digits ? "value out of range" : "invalid syntax";
}

Result<std::optional<int64_t>> number(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  if (found == nullptr) return std::optional<int64_t>();
  const std::optional<int64_t> value = parse_int(*found);
  if (!value) {
    return Status(Reason::kBadRequest, "strconv.ParseInt: parsing " + api::quoted(*found) + ": " +
                                           std::string(number_problem(*found, true)));
  }
  return std::optional<int64_t>(*value);
}

constexpr std::string_view kWithContinue =
    "resourceVersionMatch is forbidden when continue is provided";

void check_match(const ListOptions& list, std::string_view word, FieldErrors& errors) {
  const Path path("resourceVersionMatch");
  if (word.empty()) return;
  if (list.watch) {
    if (!list.send_initial_events) {
      errors.forbidden(path,
                       "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                       "provided");
    }
    if (word != "NotOlderThan") errors.not_supported(path, word, {"NotOlderThan"});
    if (!list.continue_token.empty()) errors.forbidden(path, kWithContinue);
    return;
  }
  if (list.resource_version.empty()) {
    errors.forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!list.continue_token.empty()) errors.forbidden(path, kWithContinue);
  if (word != "NotOlderThan" && word != "Exact") {
    errors.not_supported(path, word, {"Exact", "NotOlderThan", ""});
  }
  if (word == "Exact" && list.resource_version == "0") {
    errors.forbidden(path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
}

// The whole list is the value, if one of its words is none.
void check_dry_run(const std::vector<std::string_view>& words, FieldErrors& errors) {
  const auto is_unknown = [](std::string_view word) { return word != "All"; };
  if (std::ranges::none_of(words, is_unknown)) return;
  json::Document list({}, json::Value::array());
  for (const std::string_view word : words)
    list.root().push_back(list.arena(), json::Value::string(list.arena(), word));
  errors.not_supported(Path("dryRun"), api::View(list.root()), {"All"});
}

bool dry_run(const http::Target& target, FieldErrors& errors) {
  std::vector<std::string_view> words;
  for (const auto& [name, value] : target.query) {
    if (name == "dryRun") words.push_back(value);
  }
  check_dry_run(words, errors);
  return !words.empty();
}

void read_propagation(std::string_view word, DeleteOptions& found, FieldErrors& errors) {
  const Path path("propagationPolicy");
  if (word.empty()) return;
  if (found.orphan_dependents) {
    errors.invalid(path, word, "orphanDependents and deletionPropagation cannot be both set");
  }
  if (word == "Background") {
    found.propagation = api::Propagation::kBackground;
  } else if (word == "Foreground") {
    found.propagation = api::Propagation::kForeground;
  } else if (word == "Orphan") {
    found.propagation = api::Propagation::kOrphan;
  } else {
    errors.not_supported(path, word, {"Foreground", "Background", "Orphan", "nil"});
  }
}

}  // namespace options

bool asks_for_watch(const http::Target& target) { return options::flag(target, "watch"); }

bool is_dry_run(const http::Target& target) { return target.find("dryRun") != nullptr; }

uint64_t queries_read() { return options::queries.load(std::memory_order_relaxed); }

Result<ListOptions> read_list_options(const http::Target& target) {
  options::count_query();
  ListOptions list{.labels = {},
                   .fields = {},
                   .resource_version = options::text(target, "resourceVersion"),
                   .continue_token = options::text(target, "continue"),
                   .watch = asks_for_watch(target),
                   .bookmarks = options::flag(target, "allowWatchBookmarks")};
  list.limit = TRY(options::number(target, "limit")).value_or(0);
  const std::optional<int64_t> timeout = TRY(options::number(target, "timeoutSeconds"));
  // A timeout of more than a year is ignored: it would overflow.
  if (timeout && *timeout > 0 && *timeout < 366 * 86400) {
    list.timeout = std::chrono::seconds(*timeout);
  }
  if (target.find("sendInitialEvents") != nullptr) {
    list.send_initial_events = options::flag(target, "sendInitialEvents");
  }
  // Also what the request costs depends on it.
  const std::string match = options::text(target, "resourceVersionMatch");
  if (match == "NotOlderThan") list.match = VersionMatch::kNotOlderThan;
  if (match == "Exact") list.match = VersionMatch::kExact;
  if (const std::string* labels = target.find("labelSelector"); labels != nullptr) {
    list.labels = TRY(api::LabelSelector::parse(*labels));
  }
  if (const std::string* fields = target.find("fieldSelector"); fields != nullptr) {
    list.fields = TRY(api::FieldSelector::parse(*fields));
  }
  return list;
}

Result<void> check_list_options(const http::Target& target, const ListOptions& list) {
  const std::string match = options::text(target, "resourceVersionMatch");
  api::FieldErrors errors;
  if (list.send_initial_events && !list.watch) {
    errors.forbidden(api::Path("sendInitialEvents"), "sendInitialEvents is forbidden for list");
  }
  if (list.send_initial_events && list.watch && match != "NotOlderThan") {
    errors.forbidden(api::Path("resourceVersionMatch"),
                     "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  options::check_match(list, match, errors);
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "ListOptions", "");
  if (!list.resource_version.empty()) TRY(parse_resource_version(list.resource_version));
  return {};
}

Result<WriteOptions> write_options(const http::Target& target, api::Verb verb) {
  options::count_query();
  api::FieldErrors errors;
  WriteOptions write{.force = std::nullopt, .field_manager = options::text(target, "fieldManager")};
  if (target.find("force") != nullptr) write.force = options::flag(target, "force");
  api::validate_field_manager(write.field_manager, api::Path("fieldManager"), errors);
  write.dry_run = options::dry_run(target, errors);
  const std::string validation = options::text(target, "fieldValidation");
  if (validation == "Ignore") {
    write.validation = api::FieldValidation::kIgnore;
  } else if (validation == "Strict") {
    write.validation = api::FieldValidation::kStrict;
  } else if (!validation.empty() && validation != "Warn") {
    errors.not_supported(api::Path("fieldValidation"), validation,
                         {"", "Ignore", "Strict", "Warn"});
  }
  if (!errors.empty()) return errors.to_status("meta.k8s.io", options::kind_of(verb), "");
  return write;
}

Result<DeleteOptions> delete_options(const http::Target& target) {
  options::count_query();
  api::FieldErrors errors;
  DeleteOptions found;
  found.grace_seconds = TRY(options::number(target, "gracePeriodSeconds"));
  if (target.find("orphanDependents") != nullptr) {
    found.orphan_dependents = options::flag(target, "orphanDependents");
  }
  options::read_propagation(options::text(target, "propagationPolicy"), found, errors);
  found.dry_run = options::dry_run(target, errors);
  // Preconditions, also of a collection's objects, whose list options have the same name.
  const auto given = [&](std::string_view name) {
    const std::string* value = target.find(name);
    return value == nullptr || value->empty() ? std::nullopt : std::optional(*value);
  };
  found.uid = given("uid");
  found.resource_version = given("resourceVersion");
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "DeleteOptions", "");
  return found;
}

Result<DeleteOptions> delete_options(api::View body) {
  api::FieldErrors errors;
  DeleteOptions found;
  std::vector<std::string_view> words;
  for (const api::View word : body["dryRun"].items()) words.push_back(word.text());
  found.dry_run = !words.empty();
  const auto text_of = [](api::View value) {
    return value.exists() ? std::optional<std::string>(value.text()) : std::nullopt;
  };
  if (body["gracePeriodSeconds"]) found.grace_seconds = body["gracePeriodSeconds"].integer();
  found.uid = text_of(body["preconditions"]["uid"]);
  found.resource_version = text_of(body["preconditions"]["resourceVersion"]);
  if (body["orphanDependents"]) found.orphan_dependents = body["orphanDependents"].flag();
  options::read_propagation(body["propagationPolicy"].text(), found, errors);
  options::check_dry_run(words, errors);
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "DeleteOptions", "");
  return found;
}

Result<int64_t> parse_resource_version(std::string_view text) {
  const std::optional<uint64_t> value = parse_uint(text);
  if (value && *value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(*value);
  }
  const std::string shown = api::quoted(text);
  return Status(Reason::kBadRequest, "invalid resource version: resourceVersion: Invalid value: " +
                                         shown + ": strconv.ParseUint: parsing " + shown + ": " +
                                         std::string(options::number_problem(text, false)));
}

}  // namespace proa::apiserver
