#include "cel/devices/device_selector.h"

#include <map>

#include "api/object/view.h"
#include "base/check.h"
#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace device_selector {

using api::View;

constexpr int kMinorVersion = 36;
constexpr std::string_view kVariable = "device";

Environment make_environment(const DeviceFeatures& features) {
  Environment made = kubernetes_environment(
      kMinorVersion, features.list_attributes ? Libraries::kWithIncludes : Libraries::kBase);
  // Loops take lists only where attributes can be such.
  const std::string_view attributes =
      features.list_attributes ? "map(string, map(string, dyn))" : "map(string, map(string, any))";
  const Environment::Field fields[] = {
      {"driver", "string"},
      {"attributes", attributes},
      {"capacity", "map(string, map(string, kubernetes.Quantity))"},
  };
  constexpr std::string_view kType = "kubernetes.DRADevice";
  CHECK(made.add_struct(kType, fields));
  if (features.consumable_capacity) {
    CHECK(made.set_field(kType, {"allowMultipleAllocations", "bool"}));
  }
  CHECK(made.add_variable(kVariable, kType));
  made.allow_bindings();
  return made;
}

// Made once for each set of features: compiling does not change them.
const Environment& environment(const DeviceFeatures& features) {
  if (features == DeviceFeatures{}) {
    static const Environment usual = make_environment({});
    return usual;
  }
  static const Environment others[] = {
      make_environment({.consumable_capacity = false, .list_attributes = false}),
      make_environment({.consumable_capacity = false, .list_attributes = true}),
      make_environment({.consumable_capacity = true, .list_attributes = true}),
  };
  if (!features.list_attributes) return others[0];
  return others[features.consumable_capacity ? 2 : 1];
}

// The parts of a device, and how large they can be: limits of ResourceSlices.
enum class Part : uint8_t {
  kDevice,
  kDriver,
  kShared,  // allowMultipleAllocations
  kAttributes,
  kAttributesOfDomain,
  kAttribute,
  kCapacity,
  kCapacityOfDomain,
  kQuantity,
  kDomain,
  kName,
};

uint64_t largest(Part part) {
  constexpr uint64_t kNameLength = 32;
  constexpr uint64_t kDomainLength = 63;
  constexpr uint64_t kAttributesAndCapacities = 32;
  constexpr uint64_t kValueLength = 64;
  switch (part) {
    case Part::kDriver:
    case Part::kDomain:
      return kDomainLength;
    case Part::kShared:
      return 1;
    case Part::kAttributes:
    case Part::kAttributesOfDomain:
    case Part::kCapacity:
    case Part::kCapacityOfDomain:
      return kAttributesAndCapacities;
    case Part::kAttribute:
      return kValueLength;
    case Part::kName:
      return kNameLength;
    case Part::kDevice:
    case Part::kQuantity:
      break;
  }
  return 0;
}

std::optional<Part> field(std::string_view name) {
  if (name == "driver") return Part::kDriver;
  if (name == "allowMultipleAllocations") return Part::kShared;
  if (name == "attributes") return Part::kAttributes;
  if (name == "capacity") return Part::kCapacity;
  return std::nullopt;
}

std::optional<Part> step(Part part, std::string_view name) {
  const bool elements = name == "@items" || name == "@values";
  const bool keys = name == "@keys";
  switch (part) {
    case Part::kDevice:
      return field(name);
    case Part::kAttributes:
    case Part::kCapacity:
      if (keys) return Part::kDomain;
      if (!elements) return std::nullopt;
      return part == Part::kAttributes ? Part::kAttributesOfDomain : Part::kCapacityOfDomain;
    case Part::kAttributesOfDomain:
      // Attributes are all as large, whatever their names are.
      return keys ? Part::kName : Part::kAttribute;
    case Part::kCapacityOfDomain:
      if (keys) return Part::kName;
      return elements ? std::optional(Part::kQuantity) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// As upstream's sizeEstimator: it knows all fields, whatever features there are.
std::optional<Range> size_of(std::span<const std::string_view> path) {
  if (path.empty() || path[0] != kVariable) return std::nullopt;
  Part part = Part::kDevice;
  for (const std::string_view name : path.subspan(1)) {
    const std::optional<Part> next = step(part, name);
    if (!next) return std::nullopt;
    part = *next;
  }
  return Range{.min = 0, .max = largest(part)};
}

std::string mismatch(std::string_view type, const DeviceFeatures& features) {
  if (type == "bool" || type == "any" || (features.list_attributes && type == "dyn")) return {};
  return "must evaluate to bool or the unknown type, not " + type_in_messages(type);
}

Value version(Context& context, std::string_view text) {
  const Value made = make_semver(context, text);
  if (!made.is_error()) return made;
  return context.error("parse semantic version: " + std::string(made.text()));
}

template <typename Make>
Value list_of(Context& context, View list, Make make) {
  std::span<Value> items;
  const Value made = make_list(context.arena(), static_cast<uint32_t>(list.size()), items);
  for (size_t i = 0; i < list.size(); ++i) {
    items[i] = make(list.item(i));
    if (items[i].is_error()) return items[i];
  }
  return made;
}

// A list that is there, if lists are values of attributes; null: none.
std::optional<Value> list_value(Context& context, View attribute) {
  if (attribute["ints"]) {
    return list_of(context, attribute["ints"],
                   [](View one) { return Value::integer(one.integer()); });
  }
  if (attribute["bools"]) {
    return list_of(context, attribute["bools"],
                   [](View one) { return Value::boolean(one.flag()); });
  }
  if (attribute["strings"]) {
    return list_of(context, attribute["strings"],
                   [](View one) { return Value::string(one.text()); });
  }
  if (attribute["versions"]) {
    return list_of(context, attribute["versions"],
                   [&](View one) { return version(context, one.text()); });
  }
  return std::nullopt;
}

Value attribute_value(Context& context, View attribute, const DeviceFeatures& features) {
  if (features.list_attributes) {
    if (const std::optional<Value> list = list_value(context, attribute)) return *list;
  }
  if (attribute["int"]) return Value::integer(attribute["int"].integer());
  if (attribute["bool"]) return Value::boolean(attribute["bool"].flag());
  if (attribute["string"]) return Value::string(attribute["string"].text());
  if (attribute["version"]) return version(context, attribute["version"].text());
  return Value::error("unsupported attribute value");
}

// Attributes or capacities by domain and name. A domain that is not there is an empty map.
class ByDomain {
 public:
  ByDomain(Arena& arena, std::string_view driver) : arena_(arena), driver_(driver) {}

  // A name without a domain is in the driver's.
  void add(std::string_view name, const Value& value) {
    const auto parts = split_once(name, '/');
    const std::string_view domain = parts ? parts->before : driver_;
    const auto found = domains_.try_emplace(domain, arena_, 4).first;
    found->second.set(Value::string(parts ? parts->after : name), value);
  }

  Value build() {
    MapBuilder all(arena_, static_cast<uint32_t>(domains_.size()));
    for (auto& [domain, names] : domains_) all.set(Value::string(domain), names.build());
    return with_fallback(arena_, all.build(), MapBuilder(arena_, 0).build());
  }

 private:
  Arena& arena_;
  const std::string_view driver_;
  std::map<std::string_view, MapBuilder> domains_;
};

// Why a value is no bool, in the words of cel-go's ConvertToNative().
std::string no_bool(const Value& value) {
  const std::string type(runtime_name(type_of(value)));
  switch (value.kind()) {
    case ValueKind::kInt:
    case ValueKind::kUint:
      return "unsupported type conversion from '" + type + "' to bool";
    case ValueKind::kString:
      return "unsupported native conversion from string to 'bool'";
    case ValueKind::kDouble:
      return "type conversion error from Double to 'bool'";
    case ValueKind::kBytes:
      return "type conversion error from Bytes to 'bool'";
    case ValueKind::kNull:
      return "type conversion error from 'null_type' to 'bool'";
    case ValueKind::kDuration:
      return "type conversion error from 'Duration' to 'bool'";
    case ValueKind::kTimestamp:
      return "type conversion error from 'Timestamp' to 'bool'";
    case ValueKind::kOpaque:
      return "type conversion error from '" + type.substr(type.find('.') + 1) + "' to 'bool'";
    default:
      return "type conversion error from " + type + " to 'bool'";
  }
}

Status failed(std::string why) { return {Reason::kInvalid, std::move(why)}; }

}  // namespace device_selector

CheckedExpression compile_device_selector(std::string_view source, const DeviceFeatures& features) {
  const auto mismatch = [&](std::string_view type) {
    return device_selector::mismatch(type, features);
  };
  return compile_checked(source, device_selector::environment(features),
                         {.mismatch = mismatch, .size_of = device_selector::size_of});
}

Result<Value> device_value(Arena& arena, std::string_view driver, const json::Value& device,
                           const DeviceFeatures& features) {
  using namespace device_selector;
  Context context(arena);
  const View written(device);
  ByDomain attributes(arena, driver);
  for (const auto& [name, attribute] : written["attributes"].members()) {
    const Value value = attribute_value(context, View(attribute), features);
    if (value.is_error()) {
      return failed("attribute " + std::string(name) + ": " + std::string(value.text()));
    }
    attributes.add(name, value);
  }
  ByDomain capacity(arena, driver);
  for (const auto& [name, amount] : written["capacity"].members()) {
    const Value value = make_quantity(context, View(amount)["value"].text());
    if (value.is_error()) {
      return failed("capacity " + std::string(name) + ": " + std::string(value.text()));
    }
    capacity.add(name, value);
  }
  MapBuilder made(arena, 4);
  made.set(Value::string("driver"), Value::string(driver));
  made.set(Value::string("allowMultipleAllocations"),
           Value::boolean(written["allowMultipleAllocations"].flag()));
  made.set(Value::string("attributes"), attributes.build());
  made.set(Value::string("capacity"), capacity.build());
  return made.build();
}

Result<DeviceMatch> device_matches(const CheckedExpression& selector, const Value& device,
                                   Arena& arena, uint64_t cost_limit) {
  using namespace device_selector;
  const Outcome outcome = selector.program->evaluate({&device, 1}, arena, cost_limit);
  Value value = outcome.value;
  if (value.is_error()) return failed(std::string(value.text()));
  const std::string type(runtime_name(type_of(value)));
  if (value.is(ValueKind::kOptional) && value.as_optional() != nullptr)
    value = *value.as_optional();
  if (!value.is(ValueKind::kBool)) {
    const std::string why =
        value.is(ValueKind::kOptional) ? "optional.none() dereference" : no_bool(value);
    return failed("CEL result of type " + type + " could not be converted to bool: " + why);
  }
  return DeviceMatch{.matches = value.as_bool(), .cost = outcome.cost};
}

}  // namespace proa::cel
