#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/apply/fields/place.h"
#include "api/schema/model.h"
#include "base/random.h"
#include "json/parse.h"
#include "json/value.h"

namespace proa::oracle {

// Makes random values of a type. Names come from few words, so that values of different writers
// meet.
class RandomObject {
 public:
  // `with_empty`: lists and maps may be empty.
  RandomObject(SeededRandom& random, json::Arena& arena, bool with_empty)
      : random_(random), arena_(arena), with_empty_(with_empty) {}

  // Some of the fields of a message. `depth`: how many messages deep it goes at most.
  json::Value message(const api::Type& type, int depth) {
    // Version 1 keeps a metric only as far as it is valid.
    if (type.name == "MetricSpec") return metric();
    json::Value object = json::Value::object();
    // Large types would mostly be noise.
    const uint64_t wanted = 1 + random_.below(6);
    for (const api::Field& field : type.fields) {
      if (!is_usable(field) || random_.below(type.fields.size()) >= wanted) continue;
      if (needs_depth(field) && depth == 0) continue;
      object.set(arena_, field.name, value_of(field, depth - 1));
    }
    return object;
  }

  json::Value value_of(const api::Field& field, int depth) {
    if (field.shape == api::Shape::kSingle) return single_of(field, depth);
    const uint64_t count = with_empty_ ? random_.below(4) : 1 + random_.below(3);
    if (field.shape == api::Shape::kMap) {
      json::Value map = json::Value::object();
      for (uint64_t i = 0; i < count; ++i) map.set(arena_, word(), single(*field.type, depth));
      return map;
    }
    json::Value list = json::Value::array();
    const api::Atom atom = api::Place(field).resolve();
    for (uint64_t i = 0; i < count; ++i) {
      json::Value item = single_of(field, depth);
      for (const std::string_view key : atom.keys) set_key(item, *field.type, key);
      if (!atom.list_atomic && contains(list, item, atom) && random_.below(50) != 0) continue;
      list.push_back(arena_, std::move(item));
    }
    return list;
  }

  std::string_view word() {
    constexpr std::array<std::string_view, 4> kWords = {"a", "b", "c", "d"};
    return kWords[random_.below(kWords.size())];
  }

  // README.md says why the others are left out.
  static bool is_usable(const api::Field& field) {
    constexpr std::array<std::string_view, 9> kLeftOut = {
        "kind",       "apiVersion",   "metadata", "managedFields",  "serviceAccount",
        "stopSignal", "volumeStatus", "policies", "currentMetrics",
    };
    if (std::ranges::find(kLeftOut, field.name) != kLeftOut.end()) return false;
    // Ours drops fields of features that are off when it reads them, upstream when it stores them.
    if (field.rules != nullptr && field.rules->gate_off) return false;
    const api::Form form = field.type->form;
    return form < api::Form::kSchemaOrList && form != api::Form::kRaw && form != api::Form::kAny &&
           form != api::Form::kJson;
  }

 private:
  static bool needs_depth(const api::Field& field) {
    return field.type->is_message() && !field.type->fields.empty();
  }

  void set_key(json::Value& item, const api::Type& type, std::string_view key) {
    const api::Field* field = type.find(key);
    if (!item.is(json::Kind::kObject) || field == nullptr) return;
    const bool defaulted = field->rules != nullptr && !field->rules->default_json.empty();
    if (defaulted && random_.below(2) == 0) {
      item.remove(key);
    } else {
      item.set(arena_, key, single(*field->type, 0));
    }
  }

  bool contains(const json::Value& list, const json::Value& item, const api::Atom& atom) {
    const api::ItemElement found = api::item_element(atom, item, arena_);
    for (const json::Value& other : list.items()) {
      const api::ItemElement present = api::item_element(atom, other, arena_);
      if (found.ok() && present.ok() && present.element == found.element) return true;
    }
    return false;
  }

  json::Value metric() {
    const std::string target = fmt::format(R"({{"type":"AverageValue","averageValue":"{}"}})",
                                           random_.below(2) == 0 ? "1" : "2Gi");
    const std::string made =
        random_.below(2) == 0
            ? fmt::format(R"({{"type":"Pods","pods":{{"metric":{{"name":"{}"}},"target":{}}}}})",
                          word(), target)
            : fmt::format(R"({{"type":"Resource","resource":{{"name":"{}","target":{}}}}})", word(),
                          target);
    return json::parse_literal(made).root().copy(arena_);
  }

  json::Value single_of(const api::Field& field, int depth) {
    if (field.rules == nullptr || field.rules->values.empty()) return single(*field.type, depth);
    const auto values = field.rules->values;
    // With another strategy, rollingUpdate is rejected, so nobody asks how it would be converted.
    if (std::ranges::find(values, "RollingUpdate") != values.end()) return text("RollingUpdate");
    return text(values[random_.below(std::min<size_t>(values.size(), 4))]);
  }

  json::Value text(std::string_view text) { return json::Value::string(arena_, text); }

  json::Value single(const api::Type& type, int depth) {
    switch (type.form) {
      case api::Form::kBool:
        return json::Value::boolean(random_.below(2) == 0);
      case api::Form::kInt32:
      case api::Form::kInt64:
        return json::Value::integer(static_cast<int64_t>(random_.below(4)));
      case api::Form::kDouble:
        return json::Value::integer(static_cast<int64_t>(1 + random_.below(4)));
      case api::Form::kBytes:
        return text(random_.below(2) == 0 ? "YQ==" : "Yg==");
      case api::Form::kQuantity:
        return text(random_.below(2) == 0 ? "1" : "2Gi");
      case api::Form::kIntOrString:
        return random_.below(2) == 0 ? json::Value::integer(1) : text("10%");
      case api::Form::kTime:
        return text(random_.below(2) == 0 ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z");
      case api::Form::kMicroTime:
        return text("2026-01-01T00:00:00.000000Z");
      case api::Form::kDuration:
        return text("1s");
      case api::Form::kMessage:
        return message(type, depth);
      default:
        return text(word());
    }
  }

  SeededRandom& random_;
  json::Arena& arena_;
  const bool with_empty_;
};

}  // namespace proa::oracle
