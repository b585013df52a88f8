#include "apiserver/request/options.h"

#include <atomic>

#include "api/validation/field_errors.h"
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
  return found != nullptr && *found != "false" && *found != "0";
}

Result<std::optional<int64_t>> number(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  if (found == nullptr || found->empty()) return std::optional<int64_t>();
  const std::optional<int64_t> value = parse_int(*found);
  if (!value) {
    return Status(Reason::kBadRequest,
                  "strconv.ParseInt: parsing \"" + *found + "\": invalid syntax");
  }
  return std::optional<int64_t>(*value);
}

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
  } else {
    if (list.resource_version.empty()) {
      errors.forbidden(path,
                       "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (word != "NotOlderThan" && word != "Exact") {
      errors.not_supported(path, word, {"Exact", "NotOlderThan", ""});
    }
    if (word == "Exact" && list.resource_version == "0") {
      errors.forbidden(path,
                       "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (!list.continue_token.empty()) {
    errors.forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
  }
}

Result<bool> dry_run(const http::Target& target, FieldErrors& errors) {
  bool all = false;
  for (const auto& [name, value] : target.query) {
    if (name != "dryRun") continue;
    if (value != "All") {
      errors.not_supported(Path("dryRun"), value, {"All"});
    } else {
      all = true;
    }
  }
  return all;
}

void check_manager(std::string_view manager, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 128;
  if (manager.size() > kMaxBytes) errors.too_long(Path("fieldManager"), kMaxBytes);
  for (const char c : manager) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) continue;
    errors.invalid(Path("fieldManager"), manager, "invalid character: not printable");
    break;
  }
}

void read_propagation(std::string_view word, DeleteOptions& found, FieldErrors& errors) {
  const Path path("propagationPolicy");
  if (word.empty()) return;
  if (found.orphan_dependents) {
    errors.invalid(path, word, "orphanDependents and deletionPropagation cannot be both set");
    return;
  }
  if (word == "Background") {
    found.propagation = api::Propagation::kBackground;
  } else if (word == "Foreground") {
    found.propagation = api::Propagation::kForeground;
  } else if (word == "Orphan") {
    found.propagation = api::Propagation::kOrphan;
  } else {
    errors.not_supported(path, word, {"Background", "Foreground", "Orphan"});
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
  if (const std::string* labels = target.find("labelSelector"); labels != nullptr) {
    list.labels = TRY(api::LabelSelector::parse(*labels));
  }
  if (const std::string* fields = target.find("fieldSelector"); fields != nullptr) {
    list.fields = TRY(api::FieldSelector::parse(*fields));
  }
  return list;
}

Result<void> check_list_options(const http::Target& target, ListOptions& list) {
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
  if (match == "NotOlderThan") list.match = VersionMatch::kNotOlderThan;
  if (match == "Exact") list.match = VersionMatch::kExact;
  if (!list.resource_version.empty()) TRY(parse_resource_version(list.resource_version));
  return {};
}

Result<WriteOptions> write_options(const http::Target& target, api::Verb verb) {
  options::count_query();
  api::FieldErrors errors;
  WriteOptions write{.force = std::nullopt, .field_manager = options::text(target, "fieldManager")};
  if (target.find("force") != nullptr) write.force = options::flag(target, "force");
  write.dry_run = TRY(options::dry_run(target, errors));
  options::check_manager(write.field_manager, errors);
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
  found.dry_run = TRY(options::dry_run(target, errors));
  found.grace_seconds = TRY(options::number(target, "gracePeriodSeconds"));
  if (target.find("orphanDependents") != nullptr) {
    found.orphan_dependents = options::flag(target, "orphanDependents");
  }
  options::read_propagation(options::text(target, "propagationPolicy"), found, errors);
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "DeleteOptions", "");
  return found;
}

Result<DeleteOptions> delete_options(api::View body) {
  api::FieldErrors errors;
  DeleteOptions found;
  for (const api::View word : body["dryRun"].items()) {
    if (word.text() == "All") {
      found.dry_run = true;
    } else {
      errors.not_supported(api::Path("dryRun"), word.text(), {"All"});
    }
  }
  const auto text_of = [](api::View value) {
    return value.exists() ? std::optional<std::string>(value.text()) : std::nullopt;
  };
  if (body["gracePeriodSeconds"]) found.grace_seconds = body["gracePeriodSeconds"].integer();
  found.uid = text_of(body["preconditions"]["uid"]);
  found.resource_version = text_of(body["preconditions"]["resourceVersion"]);
  if (body["orphanDependents"]) found.orphan_dependents = body["orphanDependents"].flag();
  options::read_propagation(body["propagationPolicy"].text(), found, errors);
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "DeleteOptions", "");
  return found;
}

Result<int64_t> parse_resource_version(std::string_view text) {
  const std::optional<uint64_t> value = parse_uint(text);
  if (!value || *value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    const std::string why =
        "strconv.ParseUint: parsing \"" + std::string(text) + "\": invalid syntax";
    return Status(Reason::kInvalid,
                  "resourceVersion: Invalid value: \"" + std::string(text) + "\": " + why)
        .with_details({.name = {},
                       .group = {},
                       .kind = {},
                       .uid = {},
                       .causes = {{"FieldValueInvalid",
                                   "Invalid value: \"" + std::string(text) + "\": " + why,
                                   "resourceVersion"}}});
  }
  return static_cast<int64_t>(*value);
}

}  // namespace proa::apiserver
