#include "apiserver/representation/openapi/schemas/definitions.h"

#include "apiserver/representation/openapi/schemas/custom_type.h"

namespace proa::apiserver {

namespace definitions {

using api::Field;
using api::Form;
using api::Shape;
using api::Type;

// Whether it is a definition of its own that others reference; otherwise it is inlined.
bool has_own_schema(const Type& type) {
  return !type.openapi.empty() && type.published && type.form != Form::kStrings;
}

// The schema members of a type that is not a message. Empty: any value.
std::string_view form_schema(const Type& type, bool version3) {
  switch (type.form) {
    case Form::kString:
    case Form::kDuration:
      return R"("type":"string")";
    case Form::kBool:
      return R"("type":"boolean")";
    case Form::kInt32:
      return R"("type":"integer","format":"int32")";
    case Form::kInt64:
      return R"("type":"integer","format":"int64")";
    case Form::kDouble:
      return R"("type":"number","format":"double")";
    case Form::kBytes:
      return R"("type":"string","format":"byte")";
    case Form::kStrings:
      return version3 ? R"("type":"array","items":{"type":"string","default":""})"
                      : R"("type":"array","items":{"type":"string"})";
    case Form::kTime:
    case Form::kMicroTime:
      return R"("type":"string","format":"date-time")";
    case Form::kQuantity:
      return version3 ? R"("oneOf":[{"type":"string"},{"type":"number"}])" : R"("type":"string")";
    case Form::kIntOrString:
      return version3 ? R"("format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}])"
                      : R"("format":"int-or-string","type":"string")";
    case Form::kRaw:
    case Form::kMessage:
      return R"("type":"object")";
    case Form::kJson:
      // The only one that may be anything but an object.
      return type.name == "JSON" ? R"()" : R"("type":"object")";
    default:
      return {};
  }
}

// The zero value of a type, published as default for required fields.
std::string_view zero_of(const Type& type) {
  switch (type.form) {
    case Form::kString:
      return R"("")";
    case Form::kBool:
      return "false";
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
      return "0";
    case Form::kMessage:
      return "{}";
    default:
      return {};
  }
}

// The published default of a field: its own, or the zero value if it is always present.
std::string_view default_of(const Field& field) {
  if (field.rules != nullptr && !field.rules->default_json.empty()) {
    return field.rules->default_json;
  }
  if (field.shape != Shape::kSingle || field.pointer) return {};
  if (field.omit != api::Omit::kNever && !field.type->is_message()) return {};
  return zero_of(*field.type);
}

std::string_view list_type_name(api::ListType type) {
  constexpr std::string_view kNames[] = {"", "atomic", "set", "map"};
  return kNames[static_cast<size_t>(type)];
}

std::string_view map_type_name(api::MapType type) {
  constexpr std::string_view kNames[] = {"", "atomic", "granular"};
  return kNames[static_cast<size_t>(type)];
}

std::string patch_strategy(const api::PatchRule& rule) {
  std::string strategy;
  const auto add = [&](bool wanted, std::string_view name) {
    if (!wanted) return;
    if (!strategy.empty()) strategy += ',';
    strategy += name;
  };
  add(rule.merge, "merge");
  add(rule.replace, "replace");
  add(rule.retain_keys, "retainKeys");
  return strategy;
}

void write_unions(JsonText& out, const Type& type) {
  if (type.unions.empty()) return;
  out.key("x-kubernetes-unions");
  out.open('[');
  for (const api::Union& one : type.unions) {
    out.open('{');
    if (!one.discriminator.empty()) out.member("discriminator", one.discriminator);
    out.key("fields-to-discriminateBy");
    out.open('{');
    for (const api::Union::Choice& choice : one.choices) out.member(choice.field, choice.value);
    out.close('}');
    out.close('}');
  }
  out.close(']');
}

void write_kind(JsonText& out, const GroupVersion& group_version, std::string_view kind) {
  out.open('{');
  out.member("group", group_version.group);
  out.member("kind", kind);
  out.member("version", group_version.version);
  out.close('}');
}

}  // namespace definitions

void Definitions::know(std::span<const api::Resource* const> resources) {
  for (const api::Resource* resource : resources) {
    if (resource->custom) custom_.emplace(resource->type, &custom::custom_resource(*resource));
  }
}

void Definitions::write_reference(JsonText& out, const api::Type& type) {
  need(type);
  out.open('{');
  out.member("$ref", reference_to(type));
  out.close('}');
}

void Definitions::for_each(const Take& take) {
  std::string text;
  for (const api::Type* type : types_) {
    text.clear();
    JsonText out(text);
    write_type(out, *type);
    take(type->openapi, text);
  }
}

void Definitions::for_own_types(const api::Resource& resource, const Take& take) {
  const api::Resource* const resources[] = {&resource};
  know(resources);
  std::string text;
  for (const api::Type* type : {resource.type, resource.list}) {
    text.clear();
    JsonText out(text);
    write_type(out, *type);
    take(type->openapi, text);
  }
}

void Definitions::need_parts_of(const api::Resource& resource) {
  const auto need_other = [&](const api::Type& type) {
    if (&type != resource.type) need(type);
  };
  for (const api::Type* type : {resource.type, resource.list}) {
    for (const api::Field& field : type->fields) need_other(*field.type);
  }
  for (const api::Subresource& part : resource.subresources) need_other(*part.type);
}

void Definitions::need(const api::Type& type) {
  std::vector<const api::Type*> open{&type};
  while (!open.empty()) {
    const api::Type* next = open.back();
    open.pop_back();
    if (!definitions::has_own_schema(*next) || !types_.insert(next).second) continue;
    for (const api::Field& field : next->fields) open.push_back(field.type);
  }
}

std::string Definitions::reference_to(const api::Type& type) const {
  std::string reference(version3() ? "#/components/schemas/" : "#/definitions/");
  reference += type.openapi;
  return reference;
}

void Definitions::write_type(JsonText& out, const api::Type& type) const {
  if (const auto custom = custom_.find(&type); custom != custom_.end()) {
    const api::Field* metadata = type.find("metadata");
    return write_custom_type(out, *custom->second, dialect_, reference_to(*metadata->type));
  }
  out.open('{');
  if (!type.description.empty()) out.member("description", type.description);
  const std::string_view form = definitions::form_schema(type, version3());
  if (!form.empty()) out.raw(form);
  if (type.is_message()) write_fields(out, type);
  write_kinds(out, type);
  if (type.map_type != api::MapType::kNone) {
    out.member("x-kubernetes-map-type", definitions::map_type_name(type.map_type));
  }
  definitions::write_unions(out, type);
  out.close('}');
}

void Definitions::write_fields(JsonText& out, const api::Type& type) const {
  if (type.fields.empty()) return;
  bool any_required = false;
  out.key("properties");
  out.open('{');
  for (const api::Field& field : type.fields) {
    out.key(field.name);
    write_field(out, field, type.describe(field));
    any_required = any_required || field.required;
  }
  out.close('}');
  if (!any_required) return;
  out.key("required");
  out.open('[');
  for (const api::Field& field : type.fields) {
    if (field.required) out.text(field.name);
  }
  out.close(']');
}

void Definitions::write_kinds(JsonText& out, const api::Type& type) const {
  constexpr std::string_view kMeta = "meta.k8s.io/v1";
  constexpr GroupVersion kCore{.group = "", .version = "v1"};
  // Not a kind by its fields, but decoded like one.
  const bool is_event = type.group_version == kMeta && type.name == "WatchEvent";
  if (!type.is_kind && !is_event) return;
  out.key("x-kubernetes-group-version-kind");
  out.open('[');
  if (type.group_version != kMeta) {
    definitions::write_kind(out, split_group_version(type.group_version), type.name);
  } else {
    definitions::write_kind(out, kCore, type.name);
    if (is_event || type.name == "DeleteOptions") {
      for (const GroupVersion& group_version : group_versions_) {
        if (group_version != kCore) definitions::write_kind(out, group_version, type.name);
      }
    }
  }
  out.close(']');
}

void Definitions::write_field(JsonText& out, const api::Field& field,
                              std::string_view description) const {
  const std::string_view fallback =
      version3() ? definitions::default_of(field) : std::string_view();
  out.open('{');
  if (!description.empty()) out.member("description", description);
  if (field.shape == api::Shape::kSingle) {
    const bool alone = fallback.empty() && field.rules == nullptr && description.empty();
    write_value(out, field, alone, fallback);
  } else {
    const bool list = field.shape == api::Shape::kList;
    out.member("type", list ? "array" : "object");
    out.key(list ? "items" : "additionalProperties");
    out.open('{');
    const std::string_view zero =
        version3() ? definitions::zero_of(*field.type) : std::string_view();
    write_value(out, field, zero.empty(), zero);
    out.close('}');
    if (!fallback.empty()) out.raw_member("default", fallback);
  }
  if (field.rules != nullptr) write_rules(out, *field.rules);
  out.close('}');
}

void Definitions::write_rules(JsonText& out, const api::FieldRules& rules) const {
  if (!rules.keys.empty()) out.texts_member("x-kubernetes-list-map-keys", rules.keys);
  if (rules.list_type != api::ListType::kNone) {
    out.member("x-kubernetes-list-type", definitions::list_type_name(rules.list_type));
  }
  if (rules.map_type != api::MapType::kNone) {
    out.member("x-kubernetes-map-type", definitions::map_type_name(rules.map_type));
  }
  if (!rules.patch.key.empty()) out.member("x-kubernetes-patch-merge-key", rules.patch.key);
  const std::string strategy = definitions::patch_strategy(rules.patch);
  if (!strategy.empty()) out.member("x-kubernetes-patch-strategy", strategy);
}

// Schema members of one value: the field's or its items'. Alone: it has no others.
void Definitions::write_value(JsonText& out, const api::Field& field, bool alone,
                              std::string_view default_json) const {
  const api::Type& type = *field.type;
  if (definitions::has_own_schema(type)) {
    // OpenAPI 3.0 allows no siblings of a reference.
    const bool wrapped = version3() && !alone;
    if (wrapped) {
      out.key("allOf");
      out.open('[');
      out.open('{');
    }
    out.member("$ref", reference_to(type));
    if (wrapped) {
      out.close('}');
      out.close(']');
    }
  } else {
    const std::string_view form = definitions::form_schema(type, version3());
    if (!form.empty()) out.raw(form);
    if (field.rules != nullptr && !field.rules->values.empty()) {
      out.texts_member("enum", field.rules->values);
    }
  }
  if (!default_json.empty()) out.raw_member("default", default_json);
}

}  // namespace proa::apiserver
