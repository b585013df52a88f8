#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/codec/json/decode.h"
#include "api/object/view.h"
#include "api/schema/resource.h"
#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "base/result.h"
#include "base/time.h"
#include "http/wire/url.h"

namespace proa::apiserver {

enum class VersionMatch : uint8_t { kUnset, kNotOlderThan, kExact };

struct GetOptions {
  std::string resource_version;  // minimum
};

// For list, watch and deletecollection.
struct ListOptions {
  api::LabelSelector labels;
  api::FieldSelector fields;  // not yet bound to a resource
  std::string resource_version;
  VersionMatch match = VersionMatch::kUnset;
  int64_t limit = 0;
  std::string continue_token;
  std::optional<Duration> timeout;
  bool watch = false;
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
};

// For create, update and patch.
struct WriteOptions {
  bool dry_run = false;
  std::optional<bool> force;  // for apply only
  std::string field_manager;
  // Used without one: from the User-Agent, or the name of a component.
  std::string default_manager;
  api::FieldValidation validation = api::FieldValidation::kWarn;
};

struct DeleteOptions {
  bool dry_run = false;
  std::optional<int64_t> grace_seconds;
  std::optional<std::string> uid;
  std::optional<std::string> resource_version;
  std::optional<api::Propagation> propagation;
  std::optional<bool> orphan_dependents;  // deprecated form of `propagation`
};

struct DeleteCollectionOptions {
  ListOptions select;
  DeleteOptions remove;
};

// The options of the request's verb.
using Options =
    std::variant<GetOptions, ListOptions, WriteOptions, DeleteOptions, DeleteCollectionOptions>;

// Reads the options without checking whether they agree. Fails as upstream with kBadRequest for
// malformed ones.
Result<ListOptions> read_list_options(const http::Target& target);
// Checks the options that were read from `target`. Fails as upstream: kInvalid for inconsistent
// ones. Later than authorization, which looks at the selectors all the same.
Result<void> check_list_options(const http::Target& target, const ListOptions& list);
// The value of `ListOptions::watch`.
bool asks_for_watch(const http::Target& target);
// REQUIRES: create, update or patch.
Result<WriteOptions> write_options(const http::Target& target, api::Verb verb);
// From the query, or from a body, which replaces the query: a decoded DeleteOptions.
Result<DeleteOptions> delete_options(const http::Target& target);
Result<DeleteOptions> delete_options(api::View body);
// Whether the query has dryRun, for any verb; for metrics.
bool is_dry_run(const http::Target& target);

// The number of queries parsed in this process; a test checks that it is one per request.
uint64_t queries_read();

// Parses a resourceVersion; fails unless it is decimal.
Result<int64_t> parse_resource_version(std::string_view text);

}  // namespace proa::apiserver
