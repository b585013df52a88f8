#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "base/random.h"
#include "base/time.h"
#include "kinds/printing/cells.h"

// What is special about a kind, as data and functions. A null hook means ordinary behaviour.

namespace proa::kinds {

// Who writes, and when.
struct Writer {
  Time now;
  Random& random;
  std::string_view user;
  std::string_view uid;
  std::span<const std::string> groups;
};

using api::View;
using Warnings = std::vector<std::string>;

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

struct KindRules {
  std::string_view kind;  // "apps/v1/ReplicaSet", "v1/Pod"
  // Names that an object of that kind may have.
  api::NameCheck name = api::check_dns1123_subdomain;

  // Whether a status may come with the object when it is created: kubelets register so.
  bool creates_with_status = false;

  // Defaults of types that came with this kind; other kinds may use the types too.
  std::span<const TypeDefaults> defaults = {};
  // For a kind that is served in more versions than the one it is stored in.
  std::span<const Conversion> conversions = {};

  // Before validation. `object` is as the client sent it, with metadata filled in; status is empty
  // already where it can't be set by users.
  void (*prepare_create)(api::Edit object, const Writer& writer) = nullptr;
  // Spec or, by the status subresource, status were taken from the client already.
  void (*prepare_update)(api::Edit object, View old, const Writer& writer) = nullptr;
  void (*prepare_status_update)(api::Edit object, View old, const Writer& writer) = nullptr;

  // All that is wrong, not the first. Metadata was looked at already.
  void (*validate)(View object, api::FieldErrors& errors) = nullptr;
  // In addition to `validate`, when an object is created: what old objects may have kept.
  void (*validate_create)(View object, api::FieldErrors& errors) = nullptr;
  // In addition to `validate`, which sees the new object too.
  void (*validate_update)(View object, View old, api::FieldErrors& errors) = nullptr;
  // Instead of both, for the status subresource; null: nothing more than the metadata is checked.
  void (*validate_status_update)(View object, View old, api::FieldErrors& errors) = nullptr;
  // Things that work, but probably not as meant: sent as Warning headers. `old` may be absent.
  void (*warn)(View object, View old, Warnings& warnings) = nullptr;

  // Whether an update says no more than that somebody is still there. It is said again soon, so
  // that a crash may lose it, and is not worth a write to the disk each time.
  bool (*is_sign_of_life)(View object, View old) = nullptr;

  // Of `kubectl get`; without them, name and age.
  std::span<const Column> columns = {};
  void (*row)(View object, Cells& cells) = nullptr;
};

}  // namespace proa::kinds
