#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "api/schema/type_builder.h"
#include "base/random.h"

namespace proa::oracle {

// A random kind, as a CustomResourceDefinition could state it, and its OpenAPI schema for the
// oracle.
class CustomType {
 public:
  static constexpr std::string_view kKind = "Thing";
  static constexpr std::string_view kVersion = "example.com/v1";

  explicit CustomType(uint64_t seed) : random_(seed) {
    api::TypeBuilder builder(arena_);
    const api::Type& meta =
        *api::builtin_schema().find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    builder.add({.name = "kind", .type = api::scalar_type("string")});
    builder.add({.name = "apiVersion", .type = api::scalar_type("string")});
    builder.add({.name = "metadata", .type = &meta});
    std::string properties =
        R"("kind":{"type":"string"},"apiVersion":{"type":"string"},)"
        R"("metadata":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"})";
    for (const std::string_view name : {"spec", "status"}) {
      const auto [type, text] = message(3);
      builder.add({.name = name, .type = type});
      properties += fmt::format(R"(,"{}":{})", name, text);
    }
    CHECK(builder.finish(kind_).ok());
    kind_.name = kKind;
    kind_.group_version = kVersion;
    kind_.is_kind = true;
    openapi_ = fmt::format(R"({{"type":"object","properties":{{{}}}}})", properties);
  }

  const api::Type& kind() const { return kind_; }
  const std::string& openapi() const { return openapi_; }

 private:
  struct Made {
    const api::Type* type;
    std::string openapi;
  };

  Made scalar() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kScalars = {
        {{"string", "string"}, {"int64", "integer"}, {"bool", "boolean"}, {"string", "string"}}};
    const auto& [word, type] = kScalars[random_.below(kScalars.size())];
    return {api::scalar_type(word), fmt::format(R"({{"type":"{}"}})", type)};
  }

  Made single(int depth) { return depth > 0 && random_.below(2) == 0 ? message(depth) : scalar(); }

  Made message(int depth) {
    api::TypeBuilder builder(arena_);
    std::string properties;
    const uint64_t count = 1 + random_.below(5);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string_view name = arena_.copy(fmt::format("f{}", i));
      const auto [field, text] = make_field(name, depth - 1);
      builder.add(field);
      properties += fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", name, text);
    }
    api::Type& type = types_.emplace_back();
    CHECK(builder.finish(type).ok());
    type.name = "Message";
    std::string atomic;
    if (random_.below(5) == 0) {
      type.map_type = api::MapType::kAtomic;
      atomic = R"(,"x-kubernetes-map-type":"atomic")";
    }
    return {&type, fmt::format(R"({{"type":"object","properties":{{{}}}{}}})", properties, atomic)};
  }

  struct MadeField {
    api::Field field;
    std::string openapi;
  };

  MadeField make_field(std::string_view name, int depth) {
    switch (random_.below(4)) {
      case 0:
        return map_field(name, depth);
      case 1:
        return list_field(name, depth);
      default: {
        const auto [type, text] = single(depth);
        return {{.name = name, .type = type, .omit = api::Omit::kEmpty, .pointer = true}, text};
      }
    }
  }

  MadeField map_field(std::string_view name, int depth) {
    const auto [type, text] = single(depth);
    api::FieldRules& rules = rules_.emplace_back();
    std::string atomic;
    if (random_.below(3) == 0) {
      rules.map_type = api::MapType::kAtomic;
      atomic = R"(,"x-kubernetes-map-type":"atomic")";
    }
    return {{.name = name, .type = type, .rules = &rules, .shape = api::Shape::kMap},
            fmt::format(R"({{"type":"object","additionalProperties":{}{}}})", text, atomic)};
  }

  MadeField list_field(std::string_view name, int depth) {
    api::FieldRules& rules = rules_.emplace_back();
    const auto list = [&](const api::Type* type, std::string_view items, std::string_view more) {
      return MadeField{{.name = name, .type = type, .rules = &rules, .shape = api::Shape::kList},
                       fmt::format(R"({{"type":"array","items":{}{}}})", items, more)};
    };
    switch (random_.below(4)) {
      case 0: {
        const auto [type, text] = single(depth);
        return list(type, text, "");
      }
      case 1: {
        rules.list_type = api::ListType::kAtomic;
        const auto [type, text] = single(depth);
        return list(type, text, R"(,"x-kubernetes-list-type":"atomic")");
      }
      case 2: {
        rules.list_type = api::ListType::kSet;
        const auto [type, text] = scalar();
        return list(type, text, R"(,"x-kubernetes-list-type":"set")");
      }
      default: {
        rules.list_type = api::ListType::kMap;
        const auto [type, text] = keyed_item(depth, rules);
        std::string keys;
        for (const std::string_view key : rules.keys)
          keys += fmt::format(R"({}"{}")", keys.empty() ? "" : ",", key);
        return list(
            type, text,
            fmt::format(R"(,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[{}])",
                        keys));
      }
    }
  }

  // An item with one or two keys; the second has a default.
  Made keyed_item(int depth, api::FieldRules& rules) {
    api::TypeBuilder builder(arena_);
    const bool two = random_.below(2) == 0;
    std::string properties = R"("key":{"type":"string"})";
    builder.add({.name = "key", .type = api::scalar_type("string")});
    keys_.push_back({"key", "port"});
    rules.keys = std::span<const std::string_view>(keys_.back()).first(two ? 2 : 1);
    if (two) {
      api::FieldRules& port = rules_.emplace_back();
      port.default_json = "2";
      builder.add({.name = "port", .type = api::scalar_type("int64"), .rules = &port});
      properties += R"(,"port":{"type":"integer","default":2})";
    }
    const uint64_t count = 1 + random_.below(3);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string_view name = arena_.copy(fmt::format("f{}", i));
      const auto [field, text] = make_field(name, depth - 1);
      builder.add(field);
      properties += fmt::format(R"(,"{}":{})", name, text);
    }
    api::Type& type = types_.emplace_back();
    CHECK(builder.finish(type).ok());
    type.name = "Item";
    return {&type, fmt::format(R"({{"type":"object","properties":{{{}}}}})", properties)};
  }

  SeededRandom random_;
  json::Arena arena_;
  std::deque<api::Type> types_;
  std::deque<api::FieldRules> rules_;
  std::deque<std::array<std::string_view, 2>> keys_;
  api::Type kind_;
  std::string openapi_;
};

}  // namespace proa::oracle
