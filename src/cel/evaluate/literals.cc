#include "cel/evaluate/evaluation.h"
#include "cel/values/collections.h"
#include "cel/values/print.h"
#include "cel/values/structure.h"

// Lists, maps and structs that an expression states.

namespace proa::cel {

Value Evaluation::list(const Node& node) {
  charge(kListCost);
  std::span<Value> items;
  const Value whole = make_list(context_.arena(), node.count, items);
  uint32_t size = 0;
  for (uint32_t i = 0; i < node.count; ++i) {
    Value item = evaluate_child(node, i);
    if (item.is_error()) return item;
    if (node.data != Program::kNone && program_.optional_[node.data][i]) {
      if (!item.is(ValueKind::kOptional)) {
        return context_.error("cannot initialize optional list element from non-optional value " +
                              print_plain(item));
      }
      if (item.as_optional() == nullptr) continue;
      item = *item.as_optional();
    }
    items[size++] = item;
  }
  return size == node.count ? whole : make_list(context_.arena(), items.first(size));
}

Value Evaluation::map(const Node& node) {
  charge(kMapCost);
  MapBuilder builder(context_.arena(), node.count / 2);
  for (uint32_t i = 0; i < node.count; i += 2) {
    const Value key = evaluate_child(node, i);
    if (key.is_error()) return key;
    Value value = evaluate_child(node, i + 1);
    if (value.is_error()) return value;
    if (node.data != Program::kNone && program_.optional_[node.data][i / 2]) {
      if (!value.is(ValueKind::kOptional)) {
        return context_.error("cannot initialize optional entry '" + print_plain(key) +
                              "' from non-optional value " + print_plain(value));
      }
      if (value.as_optional() == nullptr) {
        builder.remove(key);
        continue;
      }
      value = *value.as_optional();
    }
    builder.set(key, value);
  }
  return builder.build();
}

Value Evaluation::structure(const Node& node) {
  charge(kStructCost);
  const StructSite& site = program_.structs_[node.data];
  auto* fields = static_cast<Structure::Field*>(
      context_.arena().allocate(sizeof(Structure::Field) * node.count, alignof(Structure::Field)));
  uint32_t size = 0;
  for (uint32_t i = 0; i < node.count; ++i) {
    const StructSite::Field& field = site.fields[i];
    Value value = evaluate_child(node, i);
    if (value.is_error()) return value;
    if (field.optional) {
      if (!value.is(ValueKind::kOptional)) {
        return context_.error("cannot initialize optional entry '" + std::string(field.name) +
                              "' from non-optional value " + print_plain(value));
      }
      if (value.as_optional() == nullptr) continue;
      value = *value.as_optional();
    }
    if (field.text && !value.is(ValueKind::kString)) {
      return context_.error("unexpected type for " + std::string(site.type.name) + "Type '" +
                            std::string(field.name) + "' field");
    }
    new (&fields[size++]) Structure::Field{field.name, value};
  }
  return context_.opaque<Structure>(site.type, std::span<const Structure::Field>(fields, size));
}

}  // namespace proa::cel
