#include "apiserver/access/admission/policies/patch_values.h"

#include <cmath>
#include <string>
#include <vector>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "cel/values/collections.h"
#include "cel/values/structure.h"
#include "cel/values/time.h"

namespace proa::apiserver {
namespace patch_values {

using cel::Structure;
using cel::ValueKind;

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

// Upstream has no bound.
constexpr size_t kMostErrors = 100;

// The name of an object's type states where it belongs: Object.spec is the value of the field spec
// of an Object. Lists and maps between them have no names.
class NameCheck {
 public:
  explicit NameCheck(Budget& budget) : budget_(budget) {}

  void check(const cel::Value& value, const std::string& expected) {
    if (!budget_.take_steps(1) || errors_.size() >= kMostErrors) return;
    if (const Structure* object = cel::as_structure(value)) {
      const std::string_view name = object->type().name;
      if (name != expected) {
        errors_.push_back("unexpected type name " + api::quoted(name) + ", expected " +
                          api::quoted(expected) +
                          ", which matches field name path from root Object type");
      }
      for (const Structure::Field& field : object->fields()) {
        check(field.value, expected + "." + std::string(field.name));
      }
    } else if (value.is(ValueKind::kList) && !value.is_json()) {
      for (uint32_t i = 0; i < value.size(); ++i) check(cel::list_item(value, i), expected);
    } else if (value.is(ValueKind::kMap) && !value.is_json()) {
      for (uint32_t i = 0; i < value.size(); ++i) check(cel::map_value(value, i), expected);
    }
  }

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  Budget& budget_;
  std::vector<std::string> errors_;
};

Result<void> check_names(const cel::Value& value, Budget& budget) {
  const Structure* object = cel::as_structure(value);
  if (object == nullptr) return {};
  NameCheck names(budget);
  names.check(value, std::string(object->type().name));
  TRY(budget.check());
  if (names.errors().empty()) return {};
  return invalid("type mismatch: " + join(names.errors(), "\n"));
}

// Makes documents of values, in an arena.
class Conversion {
 public:
  Conversion(json::Arena& arena, Budget& budget) : arena_(arena), budget_(budget) {}

  Result<json::Value> to_json(const cel::Value& value);

 private:
  Result<json::Value> object_of(const Structure& structure);
  Result<json::Value> map_of(const cel::Value& map);
  Result<json::Value> list_of(const cel::Value& list);

  json::Arena& arena_;
  Budget& budget_;
};

Result<json::Value> Conversion::object_of(const Structure& structure) {
  json::Value made = json::Value::object();
  for (const Structure::Field& field : structure.fields()) {
    json::Value member = TRY(to_json(field.value));
    made.set(arena_, field.name, std::move(member));
  }
  return made;
}

Result<json::Value> Conversion::map_of(const cel::Value& map) {
  json::Value made = json::Value::object();
  for (uint32_t i = 0; i < map.size(); ++i) {
    const cel::Value key = cel::map_key(map, i);
    if (!key.is(ValueKind::kString)) {
      return invalid("the key of a map is of type " +
                     std::string(cel::runtime_name(cel::type_of(key))) + ", not string");
    }
    json::Value member = TRY(to_json(cel::map_value(map, i)));
    made.set(arena_, key.text(), std::move(member));
  }
  return made;
}

Result<json::Value> Conversion::list_of(const cel::Value& list) {
  json::Value made = json::Value::array();
  for (uint32_t i = 0; i < list.size(); ++i) {
    json::Value item = TRY(to_json(cel::list_item(list, i)));
    made.push_back(arena_, std::move(item));
  }
  return made;
}

// Go's Duration.String() is not what JSON has: seconds, with a fraction if there is one.
std::string duration_text(int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  std::string text = std::to_string(nanoseconds / kSecond);
  const int64_t rest = std::abs(nanoseconds % kSecond);
  if (nanoseconds < 0 && nanoseconds > -kSecond) text = "-0";
  if (rest != 0) {
    std::string fraction = std::to_string(kSecond + rest).substr(1);
    while (fraction.ends_with('0')) fraction.pop_back();
    text += "." + fraction;
  }
  return text + "s";
}

Result<json::Value> number_of(double number) {
  if (!std::isfinite(number)) return invalid("a number that is not finite is no JSON");
  return json::Value::number(number);
}

Result<json::Value> Conversion::to_json(const cel::Value& value) {
  if (!budget_.take_values(1) || !budget_.take_steps(1) || !budget_.holds(arena_.reserved()))
    return budget_.status();
  switch (value.kind()) {
    case ValueKind::kNull:
      return json::Value();
    case ValueKind::kBool:
      return json::Value::boolean(value.as_bool());
    case ValueKind::kInt:
      return json::Value::integer(value.as_int());
    case ValueKind::kUint:
      if (value.as_uint() <= INT64_MAX) {
        return json::Value::integer(static_cast<int64_t>(value.as_uint()));
      }
      return number_of(static_cast<double>(value.as_uint()));
    case ValueKind::kDouble:
      return number_of(value.as_double());
    case ValueKind::kString:
      return json::Value::string(arena_, value.text());
    case ValueKind::kBytes:
      return json::Value::string(arena_, to_base64(value.text()));
    case ValueKind::kDuration:
      return json::Value::string(arena_, duration_text(value.nanoseconds()));
    case ValueKind::kTimestamp:
      return json::Value::string(arena_, cel::print_timestamp(value));
    case ValueKind::kList:
      return list_of(value);
    case ValueKind::kMap:
      return map_of(value);
    case ValueKind::kOptional:
      if (value.as_optional() == nullptr) return invalid("optional.none() dereference");
      return to_json(*value.as_optional());
    default:
      break;
  }
  if (const Structure* structure = cel::as_structure(value)) return object_of(*structure);
  return invalid("a value of type " + std::string(cel::runtime_name(cel::type_of(value))) +
                 " is no JSON");
}

Result<json::Value> operation_of(const Structure& patch, json::Arena& arena, Budget& budget) {
  json::Value made = json::Value::object();
  const auto text = [&](std::string_view name) {
    const std::optional<cel::Value> found = patch.member(name);
    return found ? found->text() : std::string_view();
  };
  made.set(arena, "op", json::Value::string(arena, text("op")));
  made.set(arena, "path", json::Value::string(arena, text("path")));
  if (!text("from").empty()) made.set(arena, "from", json::Value::string(arena, text("from")));
  const std::optional<cel::Value> value = patch.member("value");
  if (!value) return made;
  TRY(check_names(*value, budget));
  Result<json::Value> stated = Conversion(arena, budget).to_json(*value);
  if (!stated) {
    return stated.status().in(
        "JSONPath valueExpression evaluated to a type that could not marshal to JSON");
  }
  made.set(arena, "value", std::move(*stated));
  return made;
}

}  // namespace patch_values

Result<json::Value> json_patch_of(const cel::Value& list, json::Arena& arena, Budget& budget) {
  json::Value patch = json::Value::array();
  for (uint32_t i = 0; i < list.size(); ++i) {
    const cel::Structure* item = cel::as_structure(cel::list_item(list, i));
    if (item == nullptr) {
      return patch_values::invalid(
          "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
    }
    json::Value operation = TRY(patch_values::operation_of(*item, arena, budget));
    patch.push_back(arena, std::move(operation));
  }
  return patch;
}

Result<json::Value> configuration_of(const cel::Value& object, json::Arena& arena, Budget& budget) {
  TRY(patch_values::check_names(object, budget));
  return patch_values::Conversion(arena, budget).to_json(object);
}

}  // namespace proa::apiserver
