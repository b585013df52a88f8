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

// A column of `kubectl get`.
struct Column {
  std::string_view name;
  std::string_view type = "string";  // string, integer, number, boolean, date
  std::string_view format = "";      // "name" for the first
  int priority = 0;                  // more than zero: with -o wide only
  std::string_view description = "";
};

// A few characters that say how long that is: "5d12h".
std::string human_duration(Duration duration);

// The cells of one row, in the order of the columns.
class Cells {
 public:
  virtual ~Cells() = default;
  virtual void text(std::string_view text) = 0;
  virtual void number(int64_t number) = 0;
  virtual void flag(bool flag) = 0;
  virtual Time now() const = 0;

  // How long ago that was, in a few characters: "5d12h"; "<unknown>" when it is absent.
  void age(View timestamp);
};

struct KindRules {
  std::string_view kind;  // "apps/v1/ReplicaSet", "v1/Pod"
  // Names that an object of that kind may have.
  api::NameCheck name = api::check_dns1123_subdomain;

  // Whether a status may come with the object when it is created: kubelets register so.
  bool creates_with_status = false;

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

// What is to be filled in where a value of a type was not given, beyond what schema/ says ("= 1").
// Called for every value of that type, wherever in an object it stands, before its parts.
struct TypeDefaults {
  std::string_view type;  // "v1/Container"
  void (*set)(api::Edit value);
};

}  // namespace proa::kinds
