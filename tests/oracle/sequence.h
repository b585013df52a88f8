#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/apply/managed/entries.h"
#include "api/apply/managed/field_manager.h"
#include "api/codec/json/decode.h"
#include "api/patch/patch.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/conversion.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "tests/oracle/custom_type.h"
#include "tests/oracle/random_custom.h"
#include "tests/oracle/random_object.h"

namespace proa::oracle {

using json::Value;

inline const kinds::Defaulting& defaulting() {
  static const std::vector<kinds::TypeDefaults> kHooks = kinds::all_type_defaults();
  static const kinds::Defaulting kDefaulting(api::builtin_schema(), kHooks);
  return kDefaulting;
}

struct KindCase {
  std::string_view kind;
  std::vector<std::string_view> versions;
};

inline const std::vector<KindCase>& kind_cases() {
  static const std::vector<KindCase> kCases = {
      {"Deployment", {"apps/v1"}},
      {"StatefulSet", {"apps/v1"}},
      {"ReplicaSet", {"apps/v1"}},
      {"Pod", {"v1"}},
      {"Service", {"v1"}},
      {"ConfigMap", {"v1"}},
      {"Secret", {"v1"}},
      {"Node", {"v1"}},
      {"ServiceAccount", {"v1"}},
      {"PersistentVolumeClaim", {"v1"}},
      {"LimitRange", {"v1"}},
      {"Job", {"batch/v1"}},
      {"Ingress", {"networking.k8s.io/v1"}},
      {"NetworkPolicy", {"networking.k8s.io/v1"}},
      {"Role", {"rbac.authorization.k8s.io/v1"}},
      {"EndpointSlice", {"discovery.k8s.io/v1"}},
      {"PodDisruptionBudget", {"policy/v1"}},
      {"StorageClass", {"storage.k8s.io/v1"}},
      {"Lease", {"coordination.k8s.io/v1"}},
      {"HorizontalPodAutoscaler", {"autoscaling/v2", "autoscaling/v1"}},
  };
  return kCases;
}

// A few, as the oracle reads each of them once.
inline constexpr uint64_t kCustomTypes = 400;

inline const CustomType& custom_type(uint64_t index) {
  static std::map<uint64_t, CustomType> made;
  return made.try_emplace(index, index).first->second;
}

// A sequence of writes: carried out here, and written down for the oracle.
class Sequence {
 public:
  explicit Sequence(uint64_t seed)
      : random_(seed),
        custom_(random_.below(4) == 0 ? &custom_type(random_.below(kCustomTypes)) : nullptr),
        case_(custom_ != nullptr ? kCustomCase : kind_cases()[random_.below(kind_cases().size())]) {
  }

  // One line for the oracle.
  std::string run() {
    managers_ = 2 + random_.below(3);
    const size_t count = 2 + random_.below(6);
    std::string steps;
    for (size_t i = 0; i < count; ++i) steps += (i == 0 ? "" : ",") + write(i);
    const std::string reset = with_reset_ ? reset_text() : "{}";
    const std::string schema =
        custom_ == nullptr ? "" : fmt::format(R"("schema":{},)", custom_->schema());
    return fmt::format(R"({{"kind":"{}",{}"reset":{},"steps":[{}]}})", case_.kind, schema, reset,
                       steps);
  }

  struct Answer {
    std::string object = {};   // JSON; empty: it failed
    std::string managed = {};  // of the object
    std::string error = {};
    bool custom = false;
    bool patch = false;
  };
  const std::vector<Answer>& answers() const { return answers_; }

 private:
  static constexpr Time kStart{std::chrono::seconds(1767225600)};  // as the oracle's

  const api::Type* find_type(std::string_view version) const {
    if (std::ranges::find(case_.versions, version) == case_.versions.end()) return nullptr;
    if (custom_ != nullptr) return &custom_->kind();
    return api::builtin_schema().find_kind(version, case_.kind);
  }
  const api::Type& type() const { return *find_type(version_); }

  Result<json::Document> convert(json::Document document, const std::string& from,
                                 std::string_view to) const {
    const api::Decoded decoded = TRY(
        api::decode_document(std::move(document), *find_type(from), api::FieldValidation::kIgnore));
    return kinds::convert(decoded.document, from, to, case_.kind);
  }

  std::string reset_text() const {
    std::string main;
    std::string status;
    for (const std::string_view version : case_.versions) {
      main += fmt::format(R"({}"{}":{{"f:status":{{}}}})", main.empty() ? "" : ",", version);
      status += fmt::format(R"({}"{}":{{"f:spec":{{}},"f:metadata":{{"f:labels":{{}}}}}})",
                            status.empty() ? "" : ",", version);
    }
    return fmt::format(R"({{"":{{{}}},"status":{{{}}}}})", main, status);
  }

  api::ManagedKind kind(json::Arena& arena) {
    api::ManagedKind kind{
        .type = {&type(), custom_ == nullptr ? nullptr : &custom_->structure()},
        .subresource = subresource_,
        .find_type =
            [this](std::string_view version) {
              return api::VersionedType(find_type(version),
                                        custom_ == nullptr ? nullptr : &custom_->structure());
            },
        .convert =
            [this](const Value& object, std::string_view to) {
              json::Arena copies;
              Value copy = object.copy(copies);
              json::Document document(std::move(copies), std::move(copy));
              const std::string from(api::View(document.root())["apiVersion"].text());
              return convert(std::move(document), from, to);
            },
        .reset_fields = nullptr,
        .custom = custom_ != nullptr};
    if (with_reset_) {
      kind.reset_fields = [this, &arena](std::string_view) {
        api::FieldSetMaker make(arena);
        if (subresource_.empty()) {
          const std::array path = {api::Element::field("status")};
          return make.single(path);
        }
        const std::array spec = {api::Element::field("spec")};
        const std::array labels = {api::Element::field("metadata"), api::Element::field("labels")};
        return make.unite(make.single(spec), make.single(labels));
      };
    }
    return kind;
  }

  Value metadata(RandomObject& make, json::Arena& arena) {
    Value metadata = Value::object();
    metadata.set(arena, "name", Value::borrowed("x"));
    const api::Type& meta =
        *api::builtin_schema().find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    for (const std::string_view name : {"labels", "annotations", "finalizers", "ownerReferences"}) {
      if (random_.below(4) == 0) metadata.set(arena, name, make.value_of(*meta.find(name), 2));
    }
    return metadata;
  }

  // A partial object: what a manager applies. Upstream's structs tell empty lists and maps from
  // absent ones until they are stored; ours, as it stores them, do not.
  json::Document random_object(bool applies) {
    json::Arena arena;
    RandomObject make(random_, arena, applies || custom_ != nullptr);
    Value object = custom_ == nullptr
                       ? make.message(type(), 5)
                       : RandomCustom(random_, arena).object(custom_->structure(), false, 5);
    object.set(arena, "apiVersion", Value::string(arena, version_));
    object.set(arena, "kind", Value::string(arena, case_.kind));
    object.set(arena, "metadata", metadata(make, arena));
    return {std::move(arena), std::move(object)};
  }

  // Replaces, adds or removes fields of the live object.
  void mutate(Value& value, const api::Type& of, RandomObject& make, json::Arena& arena) {
    for (const api::Field& field : of.fields) {
      Value* present = value.find(field.name);
      if (present == nullptr || !RandomObject::is_usable(field)) continue;
      if (field.type->is_message() && field.shape == api::Shape::kSingle &&
          present->is(json::Kind::kObject) && random_.below(2) == 0) {
        mutate(*present, *field.type, make, arena);
      } else if (random_.below(8) == 0 && field.name != "kind" && field.name != "apiVersion") {
        value.remove(field.name);
      }
    }
    Value extra = make.message(of, 2);
    for (const json::Member& member : extra.members()) {
      if (random_.below(2) == 0) value.set(arena, member.key, member.value.copy(arena));
    }
  }

  json::Document mutated() {
    json::Arena arena;
    Value copy = live_.root().copy(arena);
    RandomObject make(random_, arena, custom_ != nullptr);
    if (custom_ == nullptr) {
      mutate(copy, type(), make, arena);
    } else {
      RandomCustom(random_, arena).change(copy, custom_->structure(), false);
    }
    Value* meta = copy.find("metadata");
    if (random_.below(3) == 0) {
      Value fresh = metadata(make, arena);
      for (const json::Member& member : fresh.members())
        meta->set(arena, member.key, member.value.copy(arena));
    }
    // Clients send them back, leave them out, or reset them.
    const uint64_t choice = random_.below(20);
    if (choice < 8) meta->remove("managedFields");
    if (choice == 8) meta->set(arena, "managedFields", Value::array());
    return {std::move(arena), std::move(copy)};
  }

  void to_version() {
    if (!exists_ || api::View(live_.root())["apiVersion"].text() == version_) return;
    Result<json::Document> converted = kinds::convert(
        live_, std::string(api::View(live_.root())["apiVersion"].text()), version_, case_.kind);
    EXPECT_TRUE(converted);
    if (converted) live_ = std::move(*converted);
  }

  // A merge patch of a part of the live object: sets some fields, and removes others.
  void remove_some(Value& patch, const Value& live, const api::Type& of, json::Arena& arena) {
    for (const api::Field& field : of.fields) {
      const Value* present = live.find(field.name);
      if (present == nullptr || !RandomObject::is_usable(field)) continue;
      Value* stated = patch.find(field.name);
      if (field.type->is_message() && field.shape == api::Shape::kSingle &&
          present->is(json::Kind::kObject) && random_.below(2) == 0) {
        if (stated == nullptr) {
          patch.set(arena, field.name, Value::object());
          stated = patch.find(field.name);
        }
        if (stated->is(json::Kind::kObject)) remove_some(*stated, *present, *field.type, arena);
      } else if (stated == nullptr && random_.below(8) == 0) {
        patch.set(arena, field.name, Value());
      }
    }
  }

  json::Document random_patch() {
    json::Arena arena;
    RandomObject make(random_, arena, false);
    Value patch = Value::object();
    if (custom_ == nullptr) {
      patch = make.message(type(), 3);
      remove_some(patch, live_.root(), type(), arena);
    } else {
      RandomCustom custom(random_, arena);
      patch = custom.object(custom_->structure(), false, 3);
      custom.remove_some(patch, live_.root(), custom_->structure());
    }
    if (random_.below(3) == 0) patch.set(arena, "metadata", metadata(make, arena));
    return {std::move(arena), std::move(patch)};
  }

  enum class Op : uint8_t { kCreate, kUpdate, kMerge, kStrategic, kApply };

  static bool is_patch(Op op) { return op == Op::kMerge || op == Op::kStrategic; }

  static std::string_view name_of(Op op) {
    constexpr std::array<std::string_view, 5> kNames = {"create", "update", "merge", "strategic",
                                                        "apply"};
    return kNames[static_cast<size_t>(op)];
  }

  Op random_op() {
    if (random_.below(2) == 0) return Op::kApply;
    if (!exists_) return Op::kCreate;
    const uint64_t choice = random_.below(4);
    if (choice < 2) return Op::kUpdate;
    // Custom resources have no strategic merge patches.
    return choice == 2 || custom_ != nullptr ? Op::kMerge : Op::kStrategic;
  }

  json::Document body_of(Op op) {
    if (is_patch(op)) return random_patch();
    if (op == Op::kUpdate) return mutated();
    json::Document object = random_object(op == Op::kApply);
    if (op != Op::kApply) return object;
    if (exists_ && random_.below(4) == 0 && !last_applied_.empty())
      object = json::parse_literal(last_applied_);
    if (version_ == api::View(object.root())["apiVersion"].text())
      last_applied_ = json::print(object.root());
    return object;
  }

  std::string write(size_t index) {
    version_ = case_.versions[random_.below(case_.versions.size())];
    subresource_ = exists_ && random_.below(5) == 0 ? "status" : "";
    to_version();
    const Op op = random_op();
    const bool force = random_.below(3) == 0;
    const std::string manager =
        random_.below(8) == 0 ? "kubectl" : fmt::format("m{}", random_.below(managers_));
    const std::string text = json::print(body_of(op).root());
    const api::FieldWriter writer{.manager = manager, .now = kStart + std::chrono::minutes(index)};
    carry_out(op, force, text, writer);
    return fmt::format(
        R"({{"op":"{}","apiVersion":"{}","manager":"{}","subresource":"{}","force":{},"object":{}}})",
        name_of(op), version_, manager, subresource_, force, text);
  }

  void carry_out(Op op, bool force, const std::string& text, const api::FieldWriter& writer) {
    json::Arena arena;
    const api::ManagedKind managed = kind(arena);
    const json::Document nothing = api::empty_object(managed);
    const Value& live = exists_ ? live_.root() : nothing.root();
    Result<json::Document> made = op == Op::kApply ? apply(managed, live, text, writer, force)
                                                   : replace(op, managed, live, text, writer);
    if (!made) {
      answers_.push_back(
          {.error = made.status().message(), .custom = custom_ != nullptr, .patch = is_patch(op)});
      return;
    }
    live_ = std::move(*made);
    exists_ = true;
    api::Edit(live_).object("metadata").set("uid", "u");
    const Value* entries = api::View(live_.root())["metadata"]["managedFields"].value();
    answers_.push_back({.object = json::print(live_.root()),
                        .managed = entries == nullptr ? "" : json::print(*entries),
                        .custom = custom_ != nullptr});
  }

  Result<json::Document> decode(json::Document document) const {
    if (custom_ != nullptr) return document;
    api::Decoded decoded =
        TRY(api::decode_document(std::move(document), type(), api::FieldValidation::kIgnore));
    defaulting().apply(api::Edit(decoded.document), type());
    // Defaults go in at the end: as they are read again.
    api::Decoded again = TRY(
        api::decode_document(std::move(decoded.document), type(), api::FieldValidation::kIgnore));
    if (version_ == case_.versions[0]) return std::move(again.document);
    // As it is stored.
    const json::Document hub =
        TRY(kinds::convert(again.document, version_, case_.versions[0], case_.kind));
    return kinds::convert(hub, case_.versions[0], version_, case_.kind);
  }

  Result<json::Document> changed_by(Op op, const std::string& text) const {
    if (!is_patch(op)) return json::parse_literal(text);
    json::Document document = live_.copy();
    Budget budget;
    const api::PatchType patch =
        op == Op::kMerge ? api::PatchType::kMerge : api::PatchType::kStrategic;
    TRY(api::apply_patch(patch, document, text, type(), budget));
    return document;
  }

  Result<json::Document> replace(Op op, const api::ManagedKind& managed, const Value& live,
                                 const std::string& text, const api::FieldWriter& writer) {
    json::Document changed = TRY(changed_by(op, text));
    json::Document object = TRY(decode(std::move(changed)));
    api::track_update(managed, live, api::Edit(object), writer);
    return object;
  }

  Result<json::Document> apply(const api::ManagedKind& managed, const Value& live,
                               const std::string& text, const api::FieldWriter& writer,
                               bool force) {
    const json::Document config = json::parse_literal(text);
    json::Document merged = TRY(api::apply_fields(managed, live, config.root(), writer, force));
    return decode(std::move(merged));
  }

  static inline const KindCase kCustomCase{CustomType::kKind, {CustomType::kVersion}};

  SeededRandom random_;
  const CustomType* const custom_;  // null: a kind of the API
  const KindCase& case_;
  bool with_reset_ = random_.below(2) == 0;
  size_t managers_ = 2;
  std::string version_;
  std::string subresource_;
  bool exists_ = false;
  json::Document live_;
  std::string last_applied_;
  std::vector<Answer> answers_;
};

}  // namespace proa::oracle
