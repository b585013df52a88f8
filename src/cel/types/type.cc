#include "cel/types/type.h"

#include <new>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "cel/types/shape.h"

namespace proa::cel {
namespace type_text {

struct Simple {
  std::string_view name;
  std::string_view runtime;
  const Type* type;
};

constexpr Simple kSimple[] = {
    {"!error!", "!error!", &types::kError},
    {"dyn", "dyn", &types::kDyn},
    {"any", "google.protobuf.Any", &types::kAny},
    {"null", "null_type", &types::kNull},
    {"bool", "bool", &types::kBool},
    {"int", "int", &types::kInt},
    {"uint", "uint", &types::kUint},
    {"double", "double", &types::kDouble},
    {"string", "string", &types::kString},
    {"bytes", "bytes", &types::kBytes},
    {"duration", "google.protobuf.Duration", &types::kDuration},
    {"timestamp", "google.protobuf.Timestamp", &types::kTimestamp},
    {"list", "list", &types::kList},
    {"map", "map", &types::kMap},
    {"type", "type", &types::kType},
};

const Simple* find(TypeKind kind) {
  for (const Simple& simple : kSimple) {
    if (simple.type->kind == kind) return &simple;
  }
  return nullptr;
}

// Reads one type from the front of the text. Types nest as deep as our own tables write them.
class Reader {
 public:
  Reader(TypeArena& types, std::string_view text) : types_(types), rest_(text) {}

  const Type* read() {
    rest_ = trim(rest_);
    const size_t end = std::min(rest_.find_first_of("(),"), rest_.size());
    const std::string_view name = trim(rest_.substr(0, end));
    rest_.remove_prefix(end);
    std::vector<const Type*> parameters;
    if (rest_.starts_with('(')) {
      do {
        rest_.remove_prefix(1);
        const Type* parameter = read();
        if (parameter == nullptr) return nullptr;
        parameters.push_back(parameter);
        rest_ = trim(rest_);
      } while (rest_.starts_with(','));
      if (!rest_.starts_with(')')) return nullptr;
      rest_.remove_prefix(1);
    }
    return make(name, parameters);
  }

  bool done() const { return trim(rest_).empty(); }

 private:
  const Type* make(std::string_view name, std::span<const Type* const> parameters) {
    if (name.empty()) return nullptr;
    for (const Simple& simple : kSimple) {
      if (simple.name != name) continue;
      return parameters.empty() ? simple.type : types_.with(simple.type->kind, {}, parameters);
    }
    if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') {
      return types_.parameter(name, static_cast<uint32_t>(name[0] - 'A'));
    }
    const TypeKind kind = types_.is_struct(name) ? TypeKind::kStruct : TypeKind::kOpaque;
    return types_.with(kind, name, parameters);
  }

  TypeArena& types_;
  std::string_view rest_;
};

}  // namespace type_text

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.shape != b.shape ||
      a.parameters.size() != b.parameters.size() ||
      (a.is(TypeKind::kParameter) && a.parameter != b.parameter)) {
    return false;
  }
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!same_type(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

std::string print_type(const Type& type) {
  const type_text::Simple* simple = type_text::find(type.kind);
  if (type.shape != nullptr) return shape_name(*type.shape);
  std::string text(simple != nullptr ? simple->name : type.name);
  if (type.parameters.empty()) return text;
  text += '(';
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += print_type(*type.parameters[i]);
  }
  return text += ')';
}

std::string_view runtime_name(const Type& type) {
  const type_text::Simple* simple = type_text::find(type.kind);
  return simple != nullptr ? simple->runtime : type.name;
}

const Type* TypeArena::map(const Type* key, const Type* value) {
  const Type* parameters[] = {key, value};
  return with(TypeKind::kMap, {}, parameters);
}

const Type* TypeArena::with(TypeKind kind, std::string_view name,
                            std::span<const Type* const> parameters) {
  auto* place =
      static_cast<const Type**>(arena_.allocate(parameters.size_bytes(), alignof(const Type*)));
  std::copy(parameters.begin(), parameters.end(), place);
  return new (arena_.allocate(sizeof(Type), alignof(Type)))
      Type{.kind = kind, .name = arena_.copy(name), .parameters = {place, parameters.size()}};
}

const Type* TypeArena::parameter(std::string_view name, uint32_t number) {
  return new (arena_.allocate(sizeof(Type), alignof(Type)))
      Type{.kind = TypeKind::kParameter, .parameter = number, .name = arena_.copy(name)};
}

const Type* TypeArena::parse(std::string_view text) {
  type_text::Reader reader(*this, text);
  const Type* type = reader.read();
  return type != nullptr && reader.done() ? type : nullptr;
}

}  // namespace proa::cel
