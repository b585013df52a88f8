#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/builtin.h"
#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/admission/reinvocation.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/objects/keys.h"
#include "base/check.h"
#include "json/print.h"
#include "json/yaml.h"
#include "store/memory/memory_store.h"

// Shared by plugin tests: a store with objects, and writes to admit.
namespace proa::apiserver {

// Allows what `allows` returns true for and records requests: "approve signers example.com/*".
class ScriptedAuthorizer final : public Authorizer {
 public:
  Verdict authorize(const Attributes& attributes) override {
    asked.push_back(std::string(attributes.verb) + " " + std::string(attributes.resource) +
                    (attributes.subresource.empty() ? "" : "/") +
                    std::string(attributes.subresource) + " " + std::string(attributes.name));
    return {allows && allows(attributes) ? Decision::kAllow : Decision::kNoOpinion};
  }
  void list_rules(const User&, std::string_view, RuleList&) override {}

  std::function<bool(const Attributes&)> allows;
  std::vector<std::string> asked;
};

// The dependencies of plugins, over an in-memory store.
class PluginWorld {
 private:
  SystemClock clock_;

 public:
  AdmissionContext context() {
    return {*store_, schema_, clock_, random_, authorizer, metrics, params_, hooks};
  }

  // Stores an object given as YAML, without validation.
  void put(std::string_view group, std::string_view resource, std::string_view yaml) {
    const api::Resource& place = *schema_.find_resource(group, "v1", resource);
    json::Document document = json::parse_yaml(yaml).value();
    const api::View metadata = api::View(document.root())["metadata"];
    const std::string key = key_of(place, metadata["namespace"].text(), metadata["name"].text());
    api::Edit(document).object("metadata").set("resourceVersion", "");
    StoredText text = encode_for_store(std::move(document), *place.type).value();
    store::Txn txn;
    txn.operations.push_back(
        store::Put{.key = key, .value = Bytes(std::move(text.json)), .stamp_at = text.stamp_at});
    CHECK(store_->commit(std::move(txn), store::Durability::kSynced).ok());
  }

  // The lines of /metrics about webhooks and policies.
  std::string metrics_text() const {
    MetricsText text;
    metrics.write(text);
    return text.take();
  }
  // Whether such a line is there.
  bool counted(const std::string& line) const {
    return metrics_text().find("\n" + line + "\n") != std::string::npos;
  }

  ScriptedAuthorizer authorizer;
  AdmissionMetrics metrics{clock_};
  HookCaller* hooks = nullptr;

 private:
  SeededRandom random_{1};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  const api::Schema& schema_ = api::builtin_schema();
  PolicyParams params_{*store_, schema_};
};

// Keys and values, in the order in which they were added.
using AuditAnnotations = std::vector<std::pair<std::string, std::string>>;

// Keeps the annotations.
class AnnotationNotes final : public AuditNotes {
 public:
  void annotate(std::string_view key, std::string value) override {
    annotations.emplace_back(key, std::move(value));
  }
  void note_decision(bool, std::string_view) override {}
  void note_names(api::View) override {}
  bool wants_object() const override { return true; }
  void note_object(std::string, Budget) override {}
  void leave_out_object() override {}
  void note_patch(const Bytes&) override {}

  AuditAnnotations annotations;
};

// A write to be admitted.
class PluginCase {
 public:
  PluginCase(Operation operation, std::string_view group, std::string_view resource,
             std::string_view subresource = "")
      : operation_(operation) {
    request_.resource = api::builtin_schema().find_resource(group, "v1", resource);
    CHECK(request_.resource != nullptr);
    if (request_.resource->namespaced) request_.name_space = "default";
    if (subresource.empty()) return;
    request_.subresource = request_.resource->find_subresource(subresource);
    CHECK(request_.subresource != nullptr);
  }

  PluginCase& named(std::string_view name) {
    request_.name = name;
    return *this;
  }
  PluginCase& in(std::string_view name_space) {
    request_.name_space = name_space;
    return *this;
  }
  PluginCase& by(User user) {
    request_.user = std::make_shared<const User>(std::move(user));
    return *this;
  }
  // Both YAML.
  PluginCase& object(std::string_view yaml) {
    object_ = json::parse_yaml(yaml).value();
    return *this;
  }
  PluginCase& old(std::string_view yaml) {
    old_ = json::parse_yaml(yaml).value();
    return *this;
  }

  // As the server calls plugins: only if concerns() is true.
  Result<void> admit(AdmissionPlugin& plugin) {
    Admission shown = admission();
    shown.reinvocation = &reinvocation_;
    if (!plugin.concerns(shown)) return {};
    return plugin.admit(api::Edit(object_), shown);
  }
  Result<void> validate(AdmissionPlugin& plugin) {
    const Admission shown = admission();
    if (!plugin.concerns(shown)) return {};
    return plugin.validate(object_.root(), shown);
  }

  // The object after admission.
  api::View result() const { return object_.root(); }
  std::string text() const { return json::print(object_.root()); }

  // What plugins added.
  Warnings warnings;
  const AuditAnnotations& annotations() const { return notes_->annotations; }

 private:
  Admission admission() {
    request_.warnings = &warnings;
    request_.audit = notes_;
    return {.request = request_, .operation = operation_, .old = old_.root()};
  }

  const Operation operation_;
  const std::shared_ptr<AnnotationNotes> notes_ = std::make_shared<AnnotationNotes>();
  Reinvocation reinvocation_;
  Request request_;
  json::Document object_;
  json::Document old_;
};

// Empty on success.
inline std::string words(const Result<void>& result) {
  return result.ok() ? "" : result.status().message();
}

}  // namespace proa::apiserver
