#include "api/validation/go_form.h"

#include <map>
#include <set>

#include "api/validation/go_names.h"
#include "json/print.h"

namespace proa::api {
namespace go_form_text {

using json::Kind;
using json::Value;

// Types of metav1 have JSON names in Go, too.
bool has_json_names(const Type& type) {
  return type.openapi.starts_with("io.k8s.apimachinery.") || !type.is_message();
}

// Small elements become structs with all fields. Beyond this, values are shown as in the request.
constexpr size_t kMostMemory = size_t{8} << 20;

class Builder {
 public:
  explicit Builder(json::Arena& arena) : arena_(arena) {}

  // Whether the form is incomplete, since it takes too much memory.
  bool is_cut() const { return arena_.reserved() > kMostMemory; }

  Value value(View value, const Type& type, Shape shape) {
    if (shape == Shape::kList || shape == Shape::kMap) return collection(value, type, shape);
    return single(value, type);
  }

 private:
  Value copy(View value) { return value.exists() ? value.value()->copy(arena_) : Value(); }

  Value collection(View value, const Type& type, Shape shape) {
    if (!value.exists()) return {};
    if (shape == Shape::kList) {
      Value list = Value::array();
      for (const View item : value.items()) list.push_back(arena_, single(item, type));
      return list;
    }
    // Go sorts them.
    std::map<std::string_view, View> members;
    for (const json::Member& member : value.members()) members[member.key] = member.value;
    Value map = Value::object();
    for (const auto& [key, member] : members) map.set(arena_, key, single(member, type));
    return map;
  }

  // A map of Go, whatever is in it.
  Value sorted(View value) {
    if (value.is(Kind::kArray)) {
      Value list = Value::array();
      for (const View item : value.items()) list.push_back(arena_, sorted(item));
      return list;
    }
    if (!value.is(Kind::kObject)) return copy(value);
    std::map<std::string_view, View> members;
    for (const json::Member& member : value.members()) members[member.key] = member.value;
    Value map = Value::object();
    for (const auto& [key, member] : members) map.set(arena_, key, sorted(member));
    return map;
  }

  // A JSON schema, or what may be there instead: a struct with one field for each.
  Value alternative(View value, const Type& type) {
    Value either = Value::object();
    if (type.form == Form::kSchemaOrBool) {
      either.set(arena_, "Allows", Value::boolean(value.is(Kind::kObject) || value.flag()));
    }
    either.set(arena_, "Schema", value.is(Kind::kObject) ? single(value, *type.element) : Value());
    if (type.form == Form::kSchemaOrList) {
      either.set(arena_, "JSONSchemas",
                 value.is(Kind::kArray) ? collection(value, *type.element, Shape::kList) : Value());
    }
    if (type.form == Form::kSchemaOrStrings) {
      either.set(arena_, "Property", value.is(Kind::kArray) ? copy(value) : Value());
    }
    return either;
  }

  Value single(View value, const Type& type) {
    if (is_cut()) return {};
    if (type.element != nullptr && value.exists()) return alternative(value, type);
    if (type.form == Form::kJson) return sorted(value);
    if (!has_json_names(type)) return message(value, type);
    if (!value.exists()) return zero(type);
    return type.is_message() ? plain_message(value, type) : copy(value);
  }

  // As in JSON.
  Value plain_message(View value, const Type& type) {
    Value object = Value::object();
    add_plain(object, value, type);
    return object;
  }

  void add_plain(Value& object, View value, const Type& type) {
    for (const Field& field : type.fields) {
      if (const View found = value[field.name])
        object.set(arena_, field.name, this->value(found, *field.type, field.shape));
    }
  }

  Value zero(const Type& type) {
    switch (type.form) {
      case Form::kString:
        return Value::borrowed("");
      case Form::kBool:
        return Value::boolean(false);
      case Form::kInt32:
      case Form::kInt64:
      case Form::kDouble:
      case Form::kIntOrString:
        return Value::integer(0);
      case Form::kQuantity:
        return Value::borrowed("0");
      case Form::kDuration:
        return Value::borrowed("0s");
      case Form::kMessage:
        return Value::object();
      default:
        return {};
    }
  }

  Value message(View value, const Type& type) {
    Value object = Value::object();
    const std::span<const std::string_view> order = go_field_order(type);
    for (const std::string_view name : order) {
      if (const Field* field = type.find(name)) add(object, *field, value, type);
    }
    for (const Field& field : type.fields) {
      const bool is_kind = type.is_kind && (field.name == "kind" || field.name == "apiVersion");
      if (order.empty() && !is_kind) add(object, field, value, type);
    }
    return object;
  }

  void add(Value& object, const Field& field, View owner, const Type& type) {
    if (is_missing_in_go(type, field.name)) return;
    const View found = owner[field.name];
    // Embedded in Go.
    if (field.name == "metadata" && field.type->name == "ObjectMeta") {
      return add_plain(object, found, *field.type);
    }
    const std::string name = go_field_name(type, field.name);
    const bool is_pod = type.name == "PodSpec" && type.group_version == "v1";
    if (is_pod && field.name == "securityContext") {
      object.set(arena_, name, pod_security_context(found, *field.type, owner));
      return;
    }
    const bool null = field.pointer && !is_plain_in_go(type, field.name) && !found.exists();
    object.set(arena_, name, null ? Value() : value(found, *field.type, field.shape));
    add_internal(object, field, type);
  }

  // Fields that only the internal types have.
  void add_internal(Value& object, const Field& field, const Type& type) {
    if (type.name == "DeploymentSpec" && field.name == "paused")
      object.set(arena_, "RollbackTo", Value());
    if (type.name == "DaemonSetSpec" && field.name == "minReadySeconds")
      object.set(arena_, "TemplateGeneration", Value::integer(0));
  }

  // It has the host's namespaces, which the API has in the pod's spec.
  Value pod_security_context(View found, const Type& type, View spec) {
    Value object = Value::object();
    object.set(arena_, "HostNetwork", Value::boolean(spec["hostNetwork"].flag()));
    object.set(arena_, "HostPID", Value::boolean(spec["hostPID"].flag()));
    object.set(arena_, "HostIPC", Value::boolean(spec["hostIPC"].flag()));
    object.set(arena_, "ShareProcessNamespace", copy(spec["shareProcessNamespace"]));
    object.set(arena_, "HostUsers", copy(spec["hostUsers"]));
    for (const std::string_view name : go_field_order(type)) {
      if (const Field* field = type.find(name)) add(object, *field, found, type);
    }
    return object;
  }

  json::Arena& arena_;
};

}  // namespace go_form_text

std::string go_form(View value, const Type& type, Shape shape) {
  json::Arena arena;
  go_form_text::Builder builder(arena);
  const json::Value form = builder.value(value, type, shape);
  return json::print(builder.is_cut() && value.exists() ? *value.value() : form);
}

std::string go_form_lines(View value, const Type& type, std::span<const std::string_view> only) {
  json::Arena arena;
  go_form_text::Builder builder(arena);
  const json::Value all = builder.value(value, type, Shape::kSingle);
  if (builder.is_cut() && value.exists()) return json::print_pretty(*value.value(), 1);
  if (only.empty()) return json::print_pretty(all, 1);
  std::set<std::string> names;
  for (const std::string_view name : only) names.insert(go_field_name(type, name));
  json::Value some = json::Value::object();
  for (const json::Member& member : all.members()) {
    if (names.contains(std::string(member.key)))
      some.set(arena, member.key, member.value.copy(arena));
  }
  return json::print_pretty(some, 1);
}

}  // namespace proa::api
