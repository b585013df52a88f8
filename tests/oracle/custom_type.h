#pragma once

#include <fmt/format.h>

#include <string>

#include "api/schema/model.h"
#include "api/structure/structure.h"
#include "base/random.h"
#include "json/parse.h"

namespace proa::oracle {

// A random kind, as a CustomResourceDefinition could state it.
class CustomType {
 public:
  static constexpr std::string_view kKind = "Thing";
  static constexpr std::string_view kVersion = "example.com/v1";

  explicit CustomType(uint64_t seed)
      : random_(seed),
        schema_(fmt::format(R"({{"type":"object","properties":{{"spec":{},"status":{}}}{}}})",
                            object(3), object(3), chance(6) ? kPreserve : "")),
        structures_(api::Structures::parse(json::parse_literal(schema_).root()).value()) {
    kind_.name = kKind;
    kind_.group_version = kVersion;
    kind_.is_kind = true;
  }

  const api::Type& kind() const { return kind_; }
  const api::Structure& structure() const { return structures_.root(); }
  // An openAPIV3Schema.
  const std::string& schema() const { return schema_; }

 private:
  static constexpr std::string_view kPreserve = R"(,"x-kubernetes-preserve-unknown-fields":true)";

  bool chance(uint64_t one_in) { return random_.below(one_in) == 0; }

  std::string scalar() {
    switch (random_.below(7)) {
      case 0:
        return R"({"type":"integer"})";
      case 1:
        return R"({"type":"boolean"})";
      case 2:
        return R"({"type":"string","format":"date-time"})";
      case 3:
        return R"({"type":"string","format":"unheard-of","nullable":true})";
      case 4:
        return R"({"x-kubernetes-int-or-string":true})";
      default:
        return R"({"type":"string"})";
    }
  }

  std::string single(int depth) {
    if (chance(12)) return R"({"x-kubernetes-preserve-unknown-fields":true})";
    return depth > 0 && chance(2) ? object(depth) : scalar();
  }

  std::string field(int depth) {
    if (depth <= 0) return scalar();
    switch (random_.below(4)) {
      case 0:
        return map(depth);
      case 1:
        return list(depth);
      default:
        return single(depth);
    }
  }

  std::string properties(int depth) {
    std::string text;
    const uint64_t count = 1 + random_.below(5);
    for (uint64_t i = 0; i < count; ++i)
      text += fmt::format(R"({}"f{}":{})", i == 0 ? "" : ",", i, field(depth - 1));
    return text;
  }

  // What any object or map may say besides.
  std::string extras() {
    std::string text;
    if (chance(5)) text += R"(,"x-kubernetes-map-type":"atomic")";
    if (chance(8)) text += kPreserve;
    if (chance(8)) text += R"(,"nullable":true)";
    return text;
  }

  std::string object(int depth) {
    if (chance(10)) return fmt::format(R"({{"type":"object"{}}})", kPreserve);
    const std::string_view embedded = chance(10) ? R"(,"x-kubernetes-embedded-resource":true)" : "";
    return fmt::format(R"({{"type":"object","properties":{{{}}}{}{}}})", properties(depth),
                       extras(), embedded);
  }

  // Of scalars, objects, lists or maps.
  std::string map(int depth) {
    const std::string values = chance(8) ? "true" : field(depth - 1);
    return fmt::format(R"({{"type":"object","additionalProperties":{}{}}})", values, extras());
  }

  std::string list(int depth) {
    const auto of = [](std::string_view items, std::string_view more) {
      return fmt::format(R"({{"type":"array","items":{}{}}})", items, more);
    };
    switch (random_.below(4)) {
      case 0:
        return of(field(depth - 1), chance(4) ? R"(,"nullable":true)" : "");
      case 1:
        return of(field(depth - 1), R"(,"x-kubernetes-list-type":"atomic")");
      case 2:
        return of(scalar(), R"(,"x-kubernetes-list-type":"set")");
      default:
        return keyed_list(depth);
    }
  }

  // One or two keys; the second has a default.
  std::string keyed_list(int depth) {
    const bool two = chance(2);
    return fmt::format(
        R"({{"type":"array","items":{{"type":"object","properties":{{"key":{{"type":"string"}}{},{}}}}},)"
        R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["key"{}]}})",
        two ? R"(,"port":{"type":"integer","default":2})" : "", properties(depth),
        two ? R"(,"port")" : "");
  }

  SeededRandom random_;
  std::string schema_;
  api::Structures structures_;
  api::Type kind_;
};

}  // namespace proa::oracle
