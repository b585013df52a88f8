#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"
#include "api/quantity.h"
#include "api/typed/table.h"
#include "api/typed/values.h"
#include "base/result.h"
#include "base/time.h"
#include "json/cursor.h"

// Structs that declare only the fields that a component reads:
//
//   struct DeploymentSpec {
//     int64_t replicas = 1;
//     std::optional<IntOrString> max_surge;
//     static const api::FieldTable& table();
//   };
//   const api::FieldTable& DeploymentSpec::table() {
//     static constexpr api::FieldEntry kEntries[] =
//     {api::entry<&DeploymentSpec::replicas>("replicas")}; static constexpr api::FieldTable
//     kTable{.types = "apps/v1/DeploymentSpec", .entries = kEntries}; return kTable;
//   }
//
// A member keeps its initial value where the field is absent or null. It may be bool, int64_t,
// double, std::string, Time, Duration, Quantity, IntOrString, LabelSelector, MapSelector, Uid,
// NodeName, RawJson, Presence, another struct with a table, and std::optional, std::vector,
// std::map<std::string, ...> of these. std::string_view and RawJson point into the object, which
// must outlive them; a std::string_view keeps escapes as they are written, so it is for names and
// enumerations, which never have any.
// Each table is listed in its room's tables_test.cc, which holds it against schema/.

namespace proa::api {

template <typename T>
concept HasTable = requires {
  { T::table() } -> std::same_as<const FieldTable&>;
};

// The text being decoded, and its errors.
class FieldInput {
 public:
  explicit FieldInput(std::string_view json) : cursor_(json) {}

  json::Cursor& cursor() { return cursor_; }
  // Reads an object into a struct.
  bool members(const FieldTable& table, void* into);
  // Always false: the next value is not what the member needs.
  bool mismatch(std::string_view expected);
  // On false, it has been said.
  bool string(std::string_view expected, std::string& into);

  // REQUIRES: members() was false.
  Status problem() const;

 private:
  const FieldEntry* find(const FieldTable& table, size_t& guess);

  json::Cursor cursor_;
  std::string_view expected_;  // empty: the text is malformed
  std::string path_;           // of the field that does not fit
};

namespace typed {

constexpr uint32_t bit(Form form) { return uint32_t{1} << static_cast<uint8_t>(form); }

// Forms that are a string in JSON.
inline constexpr uint32_t kTexts = bit(Form::kString) | bit(Form::kBytes) | bit(Form::kQuantity) |
                                   bit(Form::kTime) | bit(Form::kMicroTime) | bit(Form::kDuration);

// How a C++ type is decoded, and which values it holds.
template <typename T>
struct ValueOf;

#define PROA_TYPED_VALUE(T, ...)                  \
  template <>                                     \
  struct ValueOf<T> {                             \
    static constexpr Holds kHolds = __VA_ARGS__;  \
    static bool read(FieldInput& input, T& into); \
  }
PROA_TYPED_VALUE(bool, {.forms = bit(Form::kBool)});
PROA_TYPED_VALUE(int64_t, {.forms = bit(Form::kInt32) | bit(Form::kInt64)});
PROA_TYPED_VALUE(double, {.forms = bit(Form::kDouble)});
PROA_TYPED_VALUE(std::string, {.forms = kTexts});
PROA_TYPED_VALUE(std::string_view, {.forms = kTexts});
// A time that Time has no room for reads as not set.
PROA_TYPED_VALUE(Time, {.forms = bit(Form::kTime) | bit(Form::kMicroTime)});
PROA_TYPED_VALUE(std::optional<Time>, {.forms = bit(Form::kTime) | bit(Form::kMicroTime)});
PROA_TYPED_VALUE(Duration, {.forms = bit(Form::kDuration)});
PROA_TYPED_VALUE(Quantity, {.forms = bit(Form::kQuantity)});
PROA_TYPED_VALUE(IntOrString, {.forms = bit(Form::kIntOrString)});
// One that is not valid matches nothing.
PROA_TYPED_VALUE(LabelSelector, {.forms = bit(Form::kMessage), .type = "LabelSelector"});
PROA_TYPED_VALUE(MapSelector, {.forms = bit(Form::kString), .shape = Shape::kMap});
PROA_TYPED_VALUE(RawJson, {.anything = true});
PROA_TYPED_VALUE(Presence, {.anything = true});
#undef PROA_TYPED_VALUE

template <typename Tag>
struct ValueOf<Name<Tag>> {
  static constexpr Holds kHolds = {.forms = bit(Form::kString)};
  static bool read(FieldInput& input, Name<Tag>& into) {
    std::string text;
    if (!input.string("a string", text)) return false;
    into = Name<Tag>(std::move(text));
    return true;
  }
};

template <HasTable T>
struct ValueOf<T> {
  static constexpr Holds kHolds = {.forms = bit(Form::kMessage), .table = &T::table};
  static bool read(FieldInput& input, T& into) {
    into = T{};  // of keys that come twice, the last one counts
    return input.members(T::table(), &into);
  }
};

template <typename T>
struct ValueOf<std::optional<T>> {
  static constexpr Holds kHolds = ValueOf<T>::kHolds;
  static bool read(FieldInput& input, std::optional<T>& into) {
    return ValueOf<T>::read(input, into.emplace());
  }
};

template <typename T>
constexpr Holds held_by(Shape shape) {
  Holds holds = ValueOf<T>::kHolds;
  holds.shape = shape;
  return holds;
}

template <typename T>
struct ValueOf<std::vector<T>> {
  static constexpr Holds kHolds = held_by<T>(Shape::kList);
  static bool read(FieldInput& input, std::vector<T>& into) {
    into.clear();
    if (!input.cursor().enter_array()) return input.mismatch("a list");
    while (input.cursor().next_item()) {
      into.emplace_back();
      if (!input.cursor().null() && !ValueOf<T>::read(input, into.back())) return false;
    }
    return !input.cursor().failed();
  }
};

template <typename T>
struct ValueOf<std::map<std::string, T, std::less<>>> {
  static constexpr Holds kHolds = held_by<T>(Shape::kMap);
  static bool read(FieldInput& input, std::map<std::string, T, std::less<>>& into) {
    into.clear();
    if (!input.cursor().enter_object()) return input.mismatch("a map");
    while (input.cursor().next_member()) {
      std::optional<std::string> key = json::unescape(input.cursor().key());
      if (!key) return input.mismatch("a key without malformed escapes");
      T& value = into[std::move(*key)] = T{};
      if (!input.cursor().null() && !ValueOf<T>::read(input, value)) return false;
    }
    return !input.cursor().failed();
  }
};

template <auto Member>
struct MemberOf;
template <typename Struct, typename Value, Value Struct::*Member>
struct MemberOf<Member> {
  using Owner = Struct;
  using Field = Value;
};

template <auto Member>
bool read_member(FieldInput& input, void* owner) {
  using Of = MemberOf<Member>;
  return ValueOf<typename Of::Field>::read(input, static_cast<typename Of::Owner*>(owner)->*Member);
}

Result<void> decode(std::string_view json, const FieldTable& table, void* into);

}  // namespace typed

// The line of a table: `entry<&PodSpec::node>("nodeName")`.
template <auto Member>
constexpr FieldEntry entry(std::string_view name) {
  using Of = typed::MemberOf<Member>;
  return {.name = name,
          .read = &typed::read_member<Member>,
          .holds = typed::ValueOf<typename Of::Field>::kHolds};
}

// One pass over the text, no tree. kInvalid when it is malformed, or when a field that the struct
// has is of another kind ("spec.replicas: expected an integer").
template <HasTable T>
Result<T> decode(std::string_view json) {
  Result<T> read{T{}};
  if (Result<void> done = typed::decode(json, T::table(), &*read); !done) return done.status();
  return read;
}
template <HasTable T>
Result<T> decode(const Object& object) {
  return decode<T>(object.json());
}

// A list that was kept as RawJson.
template <HasTable T>
Result<std::vector<T>> decode_list(std::string_view json) {
  FieldInput input(json);
  Result<std::vector<T>> read{std::vector<T>{}};
  if (!typed::ValueOf<std::vector<T>>::read(input, *read)) return input.problem();
  return read;
}

}  // namespace proa::api
