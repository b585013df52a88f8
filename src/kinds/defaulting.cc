#include "kinds/defaulting.h"

#include <map>
#include <string>

#include "api/quantity.h"
#include "json/parse.h"

namespace proa::kinds {

struct Defaulting::Constant {
  std::string_view name;
  json::Value value;
  bool replaces_zero;  // not a pointer: zero means unset
};

struct Defaulting::Part {
  std::string_view name;
  api::Shape shape;
  bool always_there;  // not a pointer: visited even if absent
  const Plan* plan;
};

struct Defaulting::Plan {
  std::vector<Constant> constants;
  std::vector<void (*)(api::Edit)> hooks;
  std::vector<std::string_view> milli;  // maps of quantities
  std::vector<Part> parts;
  bool useful = false;  // something to do here or in a part
  bool fills = false;   // also in an empty value
};

namespace defaulting {

// Whether a value means "unset" for a field that is not a pointer.
bool is_zero(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return true;
    case json::Kind::kBool:
      return !value.as_bool();
    case json::Kind::kInt:
    case json::Kind::kDouble:
      return value.as_double() == 0;
    case json::Kind::kString:
      return value.as_string().empty();
    case json::Kind::kArray:
    case json::Kind::kObject:
      return value.size() == 0;
  }
  return false;
}

// Only these notations can express such small quantities.
bool may_be_finer_than_milli(std::string_view text) {
  return text.ends_with('n') || text.ends_with('u') ||
         text.find_first_of(".eE") != std::string_view::npos;
}

// Rounds away from zero, as upstream's SetDefaults_ResourceList.
void round_up_to_milli(api::Edit object, std::string_view name) {
  json::Value* map = object.value().find(name);
  if (map == nullptr) return;
  for (const json::Member& member : map->members()) {
    const std::string_view text = api::View(member.value).text();
    if (!may_be_finer_than_milli(text)) continue;
    const auto quantity = api::Quantity::parse(text);
    if (!quantity.ok()) continue;
    const api::Quantity rounded = quantity->rounded_to_milli();
    if (rounded == *quantity) continue;
    *map->find(member.key) = json::Value::string(object.arena(), rounded.str());
  }
}

bool has_parts(const api::Field& field) {
  return field.type->is_message() && !field.type->fields.empty();
}

// Neither pointer, list nor map: absent equals empty.
bool is_plain(const api::Field& field) {
  return field.shape == api::Shape::kSingle && !field.pointer;
}

}  // namespace defaulting

Defaulting::Defaulting(const api::Schema& schema, std::span<const TypeDefaults> hooks) {
  std::map<std::pair<std::string_view, std::string_view>, const api::Type*> by_name;
  for (const api::Type* type : schema.types()) {
    by_name[{type->group_version, type->name}] = type;
    plans_[type] = std::make_unique<Plan>();
    add_constants(*type, *plans_[type]);
  }
  for (const TypeDefaults& hook : hooks) {
    const size_t slash = hook.type.rfind('/');
    const auto found = by_name.find({hook.type.substr(0, slash), hook.type.substr(slash + 1)});
    CHECK(found != by_name.end());
    plans_[found->second]->hooks.push_back(hook.set);
  }
  for (auto& [type, plan] : plans_) {
    plan->fills = !plan->constants.empty() || !plan->hooks.empty();
    plan->useful = plan->fills || !plan->milli.empty();
  }
  // Types may be recursive, so iterate until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [type, plan] : plans_) {
      for (const api::Field& field : type->fields) {
        if (!defaulting::has_parts(field)) continue;
        const Plan& inner = *plans_.at(field.type);
        const bool useful = plan->useful || inner.useful;
        const bool fills = plan->fills || (inner.fills && defaulting::is_plain(field));
        changed = changed || useful != plan->useful || fills != plan->fills;
        plan->useful = useful;
        plan->fills = fills;
      }
    }
  }
  for (auto& [type, plan] : plans_) add_parts(*type, *plan);
}

Defaulting::~Defaulting() = default;

void Defaulting::add_constants(const api::Type& type, Plan& plan) {
  for (const api::Field& field : type.fields) {
    if (field.rules == nullptr || field.rules->gate_off) continue;
    if (field.rules->milli) plan.milli.push_back(field.name);
    const std::string_view text = field.rules->default_json.empty()
                                      ? field.rules->server_default_json
                                      : field.rules->default_json;
    if (text.empty()) continue;
    const auto parsed = json::parse(text);
    CHECK(parsed.ok());
    if (!field.pointer && defaulting::is_zero(parsed->root())) continue;
    plan.constants.push_back({field.name, parsed->root().copy(arena_), !field.pointer});
  }
}

void Defaulting::add_parts(const api::Type& type, Plan& plan) {
  for (const api::Field& field : type.fields) {
    if (!defaulting::has_parts(field)) continue;
    const Plan& inner = *plans_.at(field.type);
    if (!inner.useful) continue;
    plan.parts.push_back(
        {field.name, field.shape, defaulting::is_plain(field) && inner.fills, &inner});
  }
}

void Defaulting::apply(api::Edit object, const api::Type& type, Budget* budget) const {
  const auto plan = plans_.find(&type);
  if (plan == plans_.end() || !plan->second->useful) return;
  Budget growth = Budget::for_growth(object.arena().reserved(), object.arena().reserved());
  carry_out(*plan->second, object, budget == nullptr ? growth : *budget);
}

void Defaulting::carry_out(const Plan& plan, api::Edit value, Budget& budget) {
  if (!value.value().is(json::Kind::kObject)) return;
  if (!budget.take_steps(1) || !budget.holds(value.arena().reserved())) return;
  for (const Constant& constant : plan.constants) {
    const json::Value* present = value.value().find(constant.name);
    const bool is_set = present != nullptr && !present->is_null() &&
                        !(constant.replaces_zero && defaulting::is_zero(*present));
    if (!is_set) value.set(constant.name, constant.value.copy(value.arena()));
  }
  for (const auto hook : plan.hooks) hook(value);
  for (const std::string_view name : plan.milli) defaulting::round_up_to_milli(value, name);
  for (const Part& part : plan.parts) {
    json::Value* found = value.value().find(part.name);
    if (found == nullptr || found->is_null()) {
      if (part.always_there) carry_out(*part.plan, value.object(part.name), budget);
    } else if (part.shape == api::Shape::kSingle) {
      carry_out(*part.plan, {value.arena(), *found}, budget);
    } else if (part.shape == api::Shape::kList) {
      for (json::Value& item : found->items()) carry_out(*part.plan, {value.arena(), item}, budget);
    } else {
      for (const json::Member& member : found->members())
        carry_out(*part.plan, {value.arena(), *found->find(member.key)}, budget);
    }
  }
}

}  // namespace proa::kinds
