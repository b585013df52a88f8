#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json/decode.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/access/admission/cluster/plugin_case.h"
#include "apiserver/access/admission/policies/mutating.h"
#include "apiserver/access/admission/policies/validating.h"
#include "base/check.h"
#include "json/print.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

// Answers a question of tests/oracle/policy as that program does, with our own plugins.
namespace proa::policy_oracle {

struct Answer {
  int code = 0;  // 0: it is admitted
  std::string reason = "";
  std::string message = "";
  std::vector<std::string> causes = {};
  std::vector<std::string> warnings = {};
  std::map<std::string, std::string> annotations = {};
  json::Document object = {};  // as mutating policies left it

  bool operator==(const Answer& other) const {
    return code == other.code && reason == other.reason && message == other.message &&
           causes == other.causes && warnings == other.warnings &&
           annotations == other.annotations && object.root() == other.object.root();
  }
};

// Allows to get what is not secret, and says what it was asked.
class Echo final : public apiserver::Authorizer {
 public:
  apiserver::Verdict authorize(const apiserver::Attributes& asked) override {
    const auto text = [](std::string_view part) { return std::string(part); };
    const bool allowed = asked.verb == "get" && asked.resource != "secrets";
    return {allowed ? apiserver::Decision::kAllow : apiserver::Decision::kNoOpinion,
            asked.user->name + " " + text(asked.verb) + " " + text(asked.group) + "/" +
                text(asked.resource) + "/" + text(asked.subresource) + " " +
                text(asked.name_space) + "/" + text(asked.name) + " " + text(asked.path)};
  }
  void list_rules(const apiserver::User&, std::string_view, apiserver::RuleList&) override {}
};

// A write under admission by the policies of one question.
class Write {
 public:
  Write(const json::Value& question, const kinds::Defaulting& defaulting)
      : question_(question), mutating_(find("mutating")->as_bool()), defaulting_(defaulting) {
    put("", "namespaces", "namespaces");
    put("", "configmaps", "params");
    const std::string kind = mutating_ ? "mutating" : "validating";
    put("admissionregistration.k8s.io", kind + "admissionpolicies", "policies");
    put("admissionregistration.k8s.io", kind + "admissionpolicybindings", "bindings");
    request_.resource = api::builtin_schema().find_resource(find("group")->as_string(), "v1",
                                                            find("resource")->as_string());
    object_ = read("object");
    old_ = read("old");
    const api::View some = object_.root().is_null() ? old_.root() : object_.root();
    request_.name = some["metadata"]["name"].text();
    if (request_.resource->namespaced) request_.name_space = "default";
    request_.user = std::make_shared<const apiserver::User>(
        apiserver::User{.name = "somebody",
                        .uid = "u-1",
                        .groups = {"devs", "system:authenticated"},
                        .extra = {{"scope", {"a", "b"}}}});
    request_.warnings = &warnings_;
    request_.audit = notes_;
  }

  Answer answer() {
    const apiserver::AdmissionContext context = world_.context();
    const apiserver::AdmissionContext own{.store = context.store,
                                          .schema = context.schema,
                                          .clock = context.clock,
                                          .random = context.random,
                                          .authorizer = authorizer_,
                                          .metrics = context.metrics,
                                          .params = context.params};
    std::vector<apiserver::NamedPlugin> plugins;
    plugins.push_back({"", (mutating_ ? apiserver::make_mutating_policies(own)
                                      : apiserver::make_validating_policies(own))
                               .value()});
    const apiserver::AdmissionChain chain(std::move(plugins), context.clock);
    Answer result;
    const Result<void> admitted = admit(chain);
    if (!admitted) describe(admitted.status(), result);
    result.warnings = warnings_;
    // The first value stays.
    for (const auto& [key, value] : notes_->annotations) result.annotations.emplace(key, value);
    if (admitted.ok() && mutating_) result.object = std::move(object_);
    return result;
  }

 private:
  const json::Value* find(std::string_view name) const { return question_.find(name); }

  void put(std::string_view group, std::string_view resource, std::string_view name) {
    for (const json::Value& item : find(name)->items()) {
      world_.put(group, resource, json::print(item));
    }
  }

  // With defaults, as admission sees it; null if there is none.
  json::Document read(std::string_view name) const {
    const json::Value* stated = find(name);
    if (stated == nullptr) return {};
    json::Arena arena;
    json::Value copy = stated->copy(arena);
    Result<api::Decoded> decoded =
        api::decode_document(json::Document(std::move(arena), std::move(copy)),
                             *request_.resource->type, api::FieldValidation::kStrict);
    CHECK(decoded.ok());
    defaulting_.apply(api::Edit(decoded->document), *request_.resource->type);
    return std::move(decoded->document);
  }

  Result<void> admit(const apiserver::AdmissionChain& chain) {
    const std::string_view name = find("operation")->as_string();
    const apiserver::Operation operation = name == "CREATE"   ? apiserver::Operation::kCreate
                                           : name == "UPDATE" ? apiserver::Operation::kUpdate
                                                              : apiserver::Operation::kDelete;
    const bool deletes = operation == apiserver::Operation::kDelete;
    request_.verb = deletes ? api::Verb::kDelete : api::Verb::kUpdate;
    const apiserver::WriteOptions write{.field_manager = "m", .default_manager = ""};
    const apiserver::DeleteOptions remove;
    const apiserver::Admission admission{.request = request_,
                                         .operation = operation,
                                         .old = old_.root(),
                                         .write = deletes ? nullptr : &write,
                                         .remove = deletes ? &remove : nullptr};
    if (mutating_) return chain.admit(api::Edit(object_), admission);
    return chain.validate(deletes ? api::View() : api::View(object_.root()), admission);
  }

  static void describe(const Status& status, Answer& result) {
    result.code = status.code();
    result.reason = reason_name(status.reason());
    result.message = status.message();
    for (const auto& cause : status.details().causes) result.causes.push_back(cause.message);
  }

  const json::Value& question_;
  const bool mutating_;
  const kinds::Defaulting& defaulting_;
  apiserver::PluginWorld world_;
  Echo authorizer_;
  apiserver::Request request_;
  apiserver::Warnings warnings_;
  const std::shared_ptr<apiserver::AnnotationNotes> notes_ =
      std::make_shared<apiserver::AnnotationNotes>();
  json::Document object_;
  json::Document old_;
};

inline Answer read_answer(const json::Value& line) {
  Answer result;
  const auto texts = [&](std::string_view name, std::vector<std::string>& to) {
    const json::Value* list = line.find(name);
    if (list == nullptr) return;
    for (const json::Value& item : list->items()) to.emplace_back(item.as_string());
  };
  const auto text = [&](std::string_view name) {
    const json::Value* found = line.find(name);
    return std::string(found == nullptr ? "" : found->as_string());
  };
  if (const json::Value* code = line.find("code")) result.code = static_cast<int>(code->as_int());
  result.reason = text("reason");
  result.message = text("message");
  texts("causes", result.causes);
  texts("warnings", result.warnings);
  if (const json::Value* annotations = line.find("annotations")) {
    for (const json::Member& member : annotations->members()) {
      result.annotations.emplace(member.key, member.value.as_string());
    }
  }
  if (const json::Value* object = line.find("object")) {
    json::Arena arena;
    json::Value copy = object->copy(arena);
    result.object = json::Document(std::move(arena), std::move(copy));
  }
  return result;
}

inline std::string describe(const Answer& answer) {
  std::string text = std::to_string(answer.code) + " " + answer.reason + " " + answer.message;
  for (const std::string& cause : answer.causes) text += "\ncause " + cause;
  for (const std::string& warning : answer.warnings) text += "\nwarning " + warning;
  for (const auto& [key, value] : answer.annotations) {
    text += "\nannotation " + key + "=" + value;
  }
  return text + "\nobject " + json::print(answer.object.root());
}

}  // namespace proa::policy_oracle
