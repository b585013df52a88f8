#include "api/patch/restore_error.h"

#include <fmt/format.h>

#include <cmath>

#include "api/codec/json/forms.h"

namespace proa::api {
namespace restore {

using json::Kind;
using json::Value;

// The kind and the type of Go's value for a JSON value.
std::string_view kind_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int64";
    case Kind::kDouble:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "slice";
    default:
      return "map";
  }
}

std::string single(const Value& value, const Type& type, std::string_view go_name);

std::string list(const Value& value, const Type& item, std::string_view go_name) {
  if (!value.is(Kind::kArray)) return fmt::format("cannot restore slice from {}", kind_of(value));
  for (const Value& each : value.items()) {
    std::string error = single(each, item, go_name);
    if (!error.empty()) return error;
  }
  return {};
}

std::string map(const Value& value, const Type& item, std::string_view go_name) {
  if (!value.is(Kind::kObject)) return fmt::format("cannot restore map from {}", kind_of(value));
  for (const json::Member& member : value.members()) {
    std::string error = single(member.value, item, go_name);
    if (!error.empty()) return error;
  }
  return {};
}

// The Go name of a field's items; empty: the usual one.
std::string_view item_name(const Field& field) {
  std::string_view name = field.rules == nullptr ? std::string_view() : field.rules->go_type;
  if (field.shape == Shape::kSingle || name.empty()) return name;
  const size_t end = name.find(']');
  return end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
}

std::string message(const Value& value, const Type& type) {
  if (!value.is(Kind::kObject)) {
    return fmt::format("cannot restore struct from: {}", kind_of(value));
  }
  for (const Field& field : type.fields) {
    const Value* found = value.find(field.name);
    if (found == nullptr || found->is_null()) continue;
    std::string error;
    if (field.shape == Shape::kList) {
      error = list(*found, *field.type, item_name(field));
    } else if (field.shape == Shape::kMap) {
      error = map(*found, *field.type, item_name(field));
    } else {
      error = single(*found, *field.type, item_name(field));
    }
    if (!error.empty()) return error;
  }
  return {};
}

// Go converts integers to strings, but here that is an error; other pairs have no conversion.
std::string scalar(const Value& value, const Type& type, std::string_view go_name) {
  const std::string kind = go_type(type);
  const std::string name = go_name.empty() ? kind : std::string(go_name);
  const auto no_conversion = [&] { return fmt::format("unrecognized type: {}", kind); };
  const auto refused = [&] { return fmt::format("cannot convert {} to {}", kind_of(value), name); };
  switch (type.form) {
    case Form::kString:
      if (value.is(Kind::kString)) return {};
      return value.is(Kind::kInt) ? refused() : no_conversion();
    case Form::kBool:
      return value.is(Kind::kBool) ? std::string() : no_conversion();
    case Form::kDouble:
      return value.is_number() ? std::string() : no_conversion();
    default:
      if (!value.is_number()) return no_conversion();
      if (value.is(Kind::kInt)) return {};
      return std::trunc(value.as_double()) == value.as_double() ? std::string() : refused();
  }
}

std::string single(const Value& value, const Type& type, std::string_view go_name) {
  if (value.is_null()) return {};
  switch (type.form) {
    case Form::kMessage:
      return message(value, type);
    case Form::kString:
    case Form::kBool:
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
      return scalar(value, type, go_name);
    case Form::kBytes:
      if (!value.is(Kind::kString))
        return fmt::format("cannot restore slice from {}", kind_of(value));
      [[fallthrough]];
    case Form::kQuantity:
    case Form::kIntOrString:
    case Form::kTime:
    case Form::kMicroTime:
    case Form::kDuration: {
      json::Arena arena;
      const Result<Value> read = normalise_form(arena, type, value.copy(arena), nullptr);
      if (read) return {};
      return type.form == Form::kBytes ? "error decoding from json: " + read.status().message()
                                       : read.status().message();
    }
    case Form::kStrings:
      return list(value, *scalar_type("string"), {});
    default:
      return {};
  }
}

}  // namespace restore

std::string find_restore_error(const json::Value& patched, const Type& type) {
  return restore::message(patched, type);
}

}  // namespace proa::api
