#include "cel/types/shape.h"

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "cel/types/escape.h"

namespace proa::cel {
namespace shapes {

// The largest request, and the shortest JSON of values: upstream's pkg/apis/cel and pkg/cel/limits.
constexpr int64_t kMaxRequest = 3 * 1024 * 1024;
constexpr int64_t kMaxText = kMaxRequest - 2;  // without its quotes
constexpr int64_t kMaxTimeText = 32;
constexpr int64_t kDateText = 12;
constexpr int64_t kMinDateTimeText = 21;
constexpr int64_t kMinDurationText = 3;
constexpr int64_t kMinContainer = 2;

std::string_view text_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->is(json::Kind::kString) ? value->as_string()
                                                            : std::string_view();
}

bool flag_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->is(json::Kind::kBool) && value->as_bool();
}

// A limit; negative ones are zero.
std::optional<int64_t> limit_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  if (value == nullptr || !value->is(json::Kind::kInt)) return std::nullopt;
  return std::max<int64_t>(0, value->as_int());
}

const json::Value* object_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->is(json::Kind::kObject) ? value : nullptr;
}

bool has_default(const json::Value& schema) {
  const json::Value* value = schema.find("default");
  return value != nullptr && !value->is_null();
}

// A code point has four bytes at most. Upstream lets the product overflow.
uint64_t bytes_of(int64_t code_points) { return static_cast<uint64_t>(code_points) * 4; }

uint64_t longest_choice(const json::Value& choices) {
  uint64_t most = 0;
  for (const json::Value& choice : choices.items()) {
    if (choice.is(json::Kind::kString)) {
      most = std::max<uint64_t>(most, choice.as_string().size());
    }
  }
  return most;
}

struct Property {
  std::string_view name;
  const json::Value* schema = nullptr;
  bool declared = true;
};

// What every object has, also if its schema does not say so.
const json::Value& text_schema() {
  static const json::Document* document = [] {
    auto* made = new json::Document;
    made->root() = json::Value::object();
    made->root().set_borrowed(made->arena(), "type", json::Value::borrowed("string"));
    return made;
  }();
  return document->root();
}

const json::Value& metadata_schema() {
  static const json::Document* document = [] {
    auto* made = new json::Document;
    json::Arena& arena = made->arena();
    json::Value properties = json::Value::object();
    properties.set_borrowed(arena, "name", text_schema().copy(arena));
    properties.set_borrowed(arena, "generateName", text_schema().copy(arena));
    made->root() = json::Value::object();
    made->root().set_borrowed(arena, "type", json::Value::borrowed("object"));
    made->root().set_borrowed(arena, "properties", std::move(properties));
    return made;
  }();
  return document->root();
}

bool has_type(const json::Value* properties, std::string_view name, std::string_view type) {
  const json::Value* property = properties == nullptr ? nullptr : object_of(*properties, name);
  return property != nullptr && text_of(*property, "type") == type;
}

// Upstream's WithTypeAndObjectMeta replaces all three if one of them is not as it should be.
bool has_object_meta(const json::Value* properties) {
  if (!has_type(properties, "kind", "string") || !has_type(properties, "apiVersion", "string") ||
      !has_type(properties, "metadata", "object")) {
    return false;
  }
  const json::Value* inner = object_of(*properties->find("metadata"), "properties");
  return has_type(inner, "name", "string") && has_type(inner, "generateName", "string");
}

class Reader {
 public:
  explicit Reader(TypeArena& types) : types_(types) {}

  const Shape* read(const json::Value& schema, bool resource_root, const Shape* parent,
                    std::string_view step) {
    Shape* shape = new_shape();
    shape->parent = parent;
    shape->step = step;
    shape->nullable = flag_of(schema, "nullable");
    const std::string_view type = text_of(schema, "type");
    if (flag_of(schema, "x-kubernetes-int-or-string")) {
      read_int_or_string(schema, *shape);
    } else if (type == "object" || resource_root) {
      read_object(schema, resource_root, *shape);
    } else if (type == "array") {
      read_list(schema, *shape);
    } else if (type == "string") {
      read_text(schema, *shape);
    } else if (type == "boolean") {
      set_scalar(*shape, ShapeKind::kBool, types::kBool, 4);
    } else if (type == "number") {
      set_scalar(*shape, ShapeKind::kDouble, types::kDouble, 1);
    } else if (type == "integer") {
      set_scalar(*shape, ShapeKind::kInt, types::kInt, 1);
    } else if (flag_of(schema, "x-kubernetes-preserve-unknown-fields")) {
      shape->kind = ShapeKind::kPreserved;
    }
    return shape;
  }

 private:
  template <typename T>
  std::span<T> new_array(size_t size) {
    auto* place = static_cast<T*>(types_.arena().allocate(sizeof(T) * size, alignof(T)));
    for (size_t i = 0; i < size; ++i) new (&place[i]) T();
    return {place, size};
  }
  Shape* new_shape() { return new_array<Shape>(1).data(); }
  std::string_view kept(std::string_view text) { return types_.arena().copy(text); }

  static void set_scalar(Shape& shape, ShapeKind kind, const Type& type, int64_t min_size) {
    shape.kind = kind;
    shape.type = &type;
    shape.min_size = min_size;
  }

  static void read_int_or_string(const json::Value& schema, Shape& shape) {
    set_scalar(shape, ShapeKind::kIntOrString, types::kDyn, 1);
    const std::optional<int64_t> length = limit_of(schema, "maxLength");
    shape.max_elements = length ? bytes_of(*length) : kMaxText;
  }

  static void read_text(const json::Value& schema, Shape& shape) {
    const std::string_view format = text_of(schema, "format");
    const std::optional<int64_t> length = limit_of(schema, "maxLength");
    shape.max_elements = kMaxTimeText;
    if (format == "duration") {
      return set_scalar(shape, ShapeKind::kDuration, types::kDuration, kMinDurationText);
    }
    if (format == "date") {
      shape.max_elements = kDateText;
      return set_scalar(shape, ShapeKind::kDate, types::kTimestamp, kDateText);
    }
    if (format == "date-time") {
      return set_scalar(shape, ShapeKind::kDateTime, types::kTimestamp, kMinDateTimeText);
    }
    if (format == "byte") {
      shape.max_elements = static_cast<uint64_t>(length.value_or(kMaxText));
      return set_scalar(shape, ShapeKind::kBytes, types::kBytes, kMinContainer);
    }
    set_scalar(shape, ShapeKind::kString, types::kString, kMinContainer);
    const json::Value* choices = schema.find("enum");
    if (length) {
      shape.max_elements = bytes_of(*length);
    } else if (choices != nullptr && choices->size() > 0) {
      shape.max_elements = longest_choice(*choices);
    } else {
      shape.max_elements = kMaxText;
    }
  }

  const Shape* read_element(const json::Value& schema, const Shape& shape, std::string_view step) {
    return read(schema, flag_of(schema, "x-kubernetes-embedded-resource"), &shape, step);
  }

  void read_list(const json::Value& schema, Shape& shape) {
    shape.kind = ShapeKind::kList;
    shape.min_size = kMinContainer;
    const std::string_view kind = text_of(schema, "x-kubernetes-list-type");
    if (kind == "set") {
      shape.list = ListKind::kSet;
    } else if (kind == "map") {
      shape.list = ListKind::kMap;
      read_keys(schema, shape);
    } else if (!kind.empty() && kind != "atomic") {
      shape.list = ListKind::kUnknown;
      shape.unknown_list = kept(kind);
    }
    const json::Value* items = object_of(schema, "items");
    if (items == nullptr) return;
    shape.element = read_element(*items, shape, "@idx");
    if (shape.element->type == nullptr) return;
    shape.type = types_.list(shape.element->type);
    const std::optional<int64_t> most = limit_of(schema, "maxItems");
    shape.max_elements =
        static_cast<uint64_t>(most.value_or(kMaxText / (shape.element->min_size + 1)));
  }

  void read_keys(const json::Value& schema, Shape& shape) {
    const json::Value* keys = schema.find("x-kubernetes-list-map-keys");
    if (keys == nullptr) return;
    std::span<std::string_view> names = new_array<std::string_view>(keys->items().size());
    std::span<std::string_view> escaped = new_array<std::string_view>(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      if (!keys->items()[i].is(json::Kind::kString)) continue;
      names[i] = kept(keys->items()[i].as_string());
      escaped[i] = kept(escape_name(names[i]).value_or(std::string(names[i])));
    }
    shape.list_map_keys = names;
    shape.escaped_list_map_keys = escaped;
  }

  void read_object(const json::Value& schema, bool resource_root, Shape& shape) {
    shape.min_size = kMinContainer;
    shape.kind = ShapeKind::kObject;
    const json::Value* properties = object_of(schema, "properties");
    if (const json::Value* values = object_of(schema, "additionalProperties");
        values != nullptr && properties == nullptr && !resource_root) {
      return read_map(schema, *values, shape);
    }
    shape.has_properties = properties != nullptr || resource_root;
    shape.type = new_struct(shape);
    const json::Value* required = schema.find("required");
    std::vector<Property> all = all_properties(properties, resource_root);
    std::sort(all.begin(), all.end(),
              [](const Property& a, const Property& b) { return a.name < b.name; });
    std::span<ShapeField> fields = new_array<ShapeField>(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      const Property& property = all[i];
      fields[i].name = kept(property.name);
      fields[i].escaped = kept(escape_name(property.name).value_or(""));
      fields[i].shape = read_element(*property.schema, shape, fields[i].escaped);
      fields[i].declared = property.declared && &schema != &metadata_schema();
      if (fields[i].shape->type == nullptr || !is_required(required, property.name) ||
          has_default(*property.schema)) {
        continue;
      }
      // The name with its quotes, a colon and a comma.
      shape.min_size += static_cast<int64_t>(property.name.size()) + fields[i].shape->min_size + 4;
    }
    shape.fields = fields;
  }

  static std::vector<Property> all_properties(const json::Value* properties, bool resource_root) {
    const bool replaced = resource_root && !has_object_meta(properties);
    std::vector<Property> all;
    if (properties != nullptr) {
      for (const json::Member& member : properties->members()) {
        if (replaced &&
            (member.key == "kind" || member.key == "apiVersion" || member.key == "metadata")) {
          continue;
        }
        all.push_back({.name = member.key, .schema = &member.value});
      }
    }
    if (!replaced) return all;
    for (const std::string_view name : {"kind", "apiVersion", "metadata"}) {
      all.push_back({.name = name,
                     .schema = name == "metadata" ? &metadata_schema() : &text_schema(),
                     .declared = properties != nullptr && properties->find(name) != nullptr});
    }
    return all;
  }

  static bool is_required(const json::Value* required, std::string_view name) {
    if (required == nullptr) return false;
    const std::span<const json::Value> names = required->items();
    return std::any_of(names.begin(), names.end(), [&](const json::Value& one) {
      return one.is(json::Kind::kString) && one.as_string() == name;
    });
  }

  const Type* new_struct(const Shape& shape) {
    Type* type = new_array<Type>(1).data();
    type->kind = TypeKind::kStruct;
    type->shape = &shape;
    return type;
  }

  void read_map(const json::Value& schema, const json::Value& values, Shape& shape) {
    shape.kind = ShapeKind::kMap;
    shape.element = read_element(values, shape, "@elem");
    if (shape.element->type == nullptr) return;
    shape.type = types_.map(&types::kString, shape.element->type);
    // A key of two quotes, a colon, a comma and two bytes.
    const std::optional<int64_t> most = limit_of(schema, "maxProperties");
    shape.max_elements =
        static_cast<uint64_t>(most.value_or(kMaxText / (shape.element->min_size + 6)));
  }

  TypeArena& types_;
};

}  // namespace shapes

const ShapeField* Shape::field(std::string_view name) const {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), name,
                       [](const ShapeField& a, std::string_view b) { return a.name < b; });
  return found != fields.end() && found->name == name ? &*found : nullptr;
}

const ShapeField* Shape::escaped_field(std::string_view name) const {
  if (!is_escaped_name(name)) {
    const ShapeField* found = field(name);
    return found != nullptr && found->escaped == name ? found : nullptr;
  }
  for (const ShapeField& candidate : fields) {
    if (candidate.escaped == name) return &candidate;
  }
  return nullptr;
}

std::string_view schema_type(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kObject:
    case ShapeKind::kMap:
      return "object";
    case ShapeKind::kList:
      return "array";
    case ShapeKind::kString:
    case ShapeKind::kBytes:
    case ShapeKind::kDuration:
    case ShapeKind::kDate:
    case ShapeKind::kDateTime:
      return "string";
    case ShapeKind::kDouble:
      return "number";
    case ShapeKind::kInt:
      return "integer";
    case ShapeKind::kBool:
      return "boolean";
    default:
      return {};
  }
}

std::string shape_name(const Shape& shape) {
  if (shape.parent == nullptr) return "selfType";
  return shape_name(*shape.parent) + "." + std::string(shape.step);
}

uint64_t max_cardinality(const Shape& shape) {
  // A comma between them.
  return static_cast<uint64_t>(shapes::kMaxRequest / (shape.min_size + 1));
}

Shapes::Shapes(const json::Value& schema, bool resource_root)
    : root_(shapes::Reader(*types_).read(schema, resource_root, nullptr, "")) {}

size_t Shapes::memory() const { return sizeof(*this) + types_->arena().reserved(); }

}  // namespace proa::cel
