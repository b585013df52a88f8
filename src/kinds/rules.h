#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "base/random.h"
#include "base/time.h"
#include "kinds/printing/cells.h"
#include "kinds/warnings.h"

// The rules of a kind, as data and functions. A null hook means ordinary behaviour.

namespace proa::kinds {

// The author and the time of a write.
struct Writer {
  Time now;
  Random& random;
  std::string_view user;
  std::string_view uid;
  std::span<const std::string> groups;
  std::span<const std::pair<std::string, std::vector<std::string>>> extra = {};
};

using api::View;

// Fills in what was left out of a value of a type, beyond the constants that schema/ states ("=
// 1"). Called for every value of the type, wherever it is in an object, before its parts.
struct TypeDefaults {
  std::string_view type;  // "v1/Container"
  void (*set)(api::Edit value);
};

// Fills an object of another version of the same kind from `object`. Kind, apiVersion and metadata
// are already set. Data that the other version has no fields for goes into annotations, as upstream
// does it.
struct Conversion {
  std::string_view to;  // an apiVersion
  void (*fill)(View object, api::Edit converted);
};

// Which checks of metadata upstream's validation of a kind makes, in its order: a failed check is
// as many causes as there are checks. M: as a new object's, with the kind's own rule for names; N:
// the same, but generateName; U: the immutable parts; small letters: without the rule that
// finalizers are qualified. The general checks of all kinds come on top.
struct MetadataChecks {
  std::string_view create = "M";
  std::string_view update = "U";
  std::string_view status = "U";
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of a write
struct KindRules {
  std::string_view kind;  // "apps/v1/ReplicaSet", "v1/Pod"
  // Checks metadata.name.
  api::NameCheck name = api::check_dns1123_subdomain;
  MetadataChecks metadata = {};
  // For a kind that is stored in another version: upstream's rules depend on the request's.
  bool validates_as_served = false;

  // Defaults of types that came with this kind; other kinds may use the types too.
  std::span<const TypeDefaults> defaults = {};
  // For a kind that is served in more versions than the one it is stored in.
  std::span<const Conversion> conversions = {};

  // Called before validation. `object` is as the client sent it, with metadata filled in. Status is
  // already removed if users cannot set it.
  void (*prepare_create)(api::Edit object, const Writer& writer) = nullptr;
  // The spec, or for the status subresource the status, is already taken from the client's object.
  void (*prepare_update)(api::Edit object, View old, const Writer& writer) = nullptr;
  void (*prepare_status_update)(api::Edit object, View old, const Writer& writer) = nullptr;

  // Errors that are reported alone: upstream finds them before it validates the rest.
  void (*validate_first)(View object, api::FieldErrors& errors) = nullptr;
  // Reports all errors, not only the first. Metadata is already validated.
  void (*validate)(View object, api::FieldErrors& errors) = nullptr;
  // In addition to `validate`, on creation only: for rules that existing objects may violate.
  void (*validate_create)(View object, api::FieldErrors& errors) = nullptr;
  // In addition to `validate`, on updates.
  void (*validate_update)(View object, View old, api::FieldErrors& errors) = nullptr;
  // What upstream validates once more on updates: its errors are there twice.
  void (*validate_again)(View object, api::FieldErrors& errors) = nullptr;
  bool update_comes_first = false;  // its errors are reported before those of `validate`
  // Instead of both, for the status subresource. Null: only the metadata is validated.
  void (*validate_status_update)(View object, View old, api::FieldErrors& errors) = nullptr;
  // Reports what is valid but probably a mistake. Sent as Warning headers. `old` may be absent.
  void (*warn)(View object, View old, Warnings& warnings) = nullptr;

  // The grace period of a deletion, in seconds. `requested` is that of the delete options. Null:
  // objects are deleted at once.
  int64_t (*grace_period)(View object, std::optional<int64_t> requested) = nullptr;

  // Why an object of that name cannot be deleted on its own; empty: it can.
  std::string_view (*undeletable)(std::string_view name) = nullptr;

  // Whether an update is only a heartbeat. Heartbeats are repeated soon, so a crash may lose one,
  // and they are not synced to disk one by one.
  bool (*is_heartbeat)(View object, View old) = nullptr;

  // The table of `kubectl get`; if empty, name and age.
  std::span<const Column> columns = {};
  void (*row)(View object, Cells& cells) = nullptr;
};

}  // namespace proa::kinds
