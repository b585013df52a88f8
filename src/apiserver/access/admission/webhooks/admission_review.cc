#include "apiserver/access/admission/webhooks/admission_review.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace admission_review {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "admission.k8s.io";
constexpr std::string_view kKind = "AdmissionReview";
constexpr std::string_view kJsonPatch = "JSONPatch";
// Of texts that end in headers, logs and answers; upstream has its own limits where they are used.
constexpr size_t kMostWarnings = 100;

void set_kind(Edit request, std::string_view name, const ReviewedKind& of) {
  const Edit kind = request.object(name);
  kind.set("group", of.group);
  kind.set("version", of.version);
  kind.set("kind", of.kind);
}

void set_resource(Edit request, std::string_view name, const ReviewedKind& of) {
  const Edit resource = request.object(name);
  resource.set("group", of.resource_group);
  resource.set("version", of.resource_version);
  resource.set("resource", of.resource);
}

void set_user(Edit request, const User& user) {
  const Edit info = request.object("userInfo");
  if (!user.name.empty()) info.set("username", user.name);
  if (!user.uid.empty()) info.set("uid", user.uid);
  for (const std::string& group : user.groups)
    info.array("groups").push(json::Value::string(info.arena(), group));
  for (const auto& [key, values] : user.extra) {
    const Edit list = info.object("extra").array(key);
    for (const std::string& value : values) list.push(json::Value::string(info.arena(), value));
  }
}

// Printed beside the rest: not copied into the document of the question.
void print_member(std::string& text, std::string_view name, View value) {
  text.append(",\"").append(name).append("\":");
  if (value) {
    json::print_to(text, *value.value());
  } else {
    text.append("null");
  }
}

Status invalid(std::string message) { return {Reason::kUnknown, std::move(message)}; }

bool is_absent_or(View value, json::Kind kind) { return !value.exists() || value.is(kind); }

bool is_readable(View response) {
  return response.is(json::Kind::kObject) && is_absent_or(response["uid"], json::Kind::kString) &&
         is_absent_or(response["allowed"], json::Kind::kBool) &&
         is_absent_or(response["patch"], json::Kind::kString) &&
         is_absent_or(response["patchType"], json::Kind::kString) &&
         is_absent_or(response["status"], json::Kind::kObject) &&
         is_absent_or(response["warnings"], json::Kind::kArray) &&
         is_absent_or(response["auditAnnotations"], json::Kind::kObject);
}

Result<View> response_of(const AdmissionQuestion& question, View review) {
  const View response = review["response"];
  if (!response) return invalid("webhook response was absent");
  if (!is_readable(response)) return invalid("webhook response cannot be read");
  if (question.version != "v1") return response;
  const std::string_view uid = response["uid"].text();
  if (uid != question.uid)
    return invalid(fmt::format("expected response.uid={}, got {}", api::quoted(question.uid),
                               api::quoted(uid)));
  const std::string wanted = fmt::format("{}/v1, Kind={}", kGroup, kKind);
  const std::string got =
      fmt::format("{}, Kind={}", review["apiVersion"].text(), review["kind"].text());
  if (got != wanted)
    return invalid(fmt::format("expected webhook response of {}, got {}", wanted, got));
  return response;
}

// Those of v1beta1 need not say that a patch is one.
Result<void> check_patch(const AdmissionQuestion& question, View response, WebhookMay may) {
  if (question.version != "v1") return {};
  const bool has_patch = !response["patch"].text().empty();
  const View type = response["patchType"];
  if (may == WebhookMay::kOnlyValidate) {
    if (has_patch) return invalid("validating webhook may not return response.patch");
    if (type) return invalid("validating webhook may not return response.patchType");
    return {};
  }
  if (has_patch && !type)
    return invalid("webhook returned response.patch but not response.patchType");
  if (!has_patch && type)
    return invalid("webhook returned response.patchType but not response.patch");
  if (type && type.text().empty())
    return invalid(R"(webhook returned invalid response.patchType of "")");
  if (type && type.text() != kJsonPatch)
    return invalid(fmt::format("unsupported patch type {}", api::quoted(type.text())));
  return {};
}

// As Go decodes a list: null is one without operations, and an operation may be null, too.
bool is_patch(const json::Value& value) {
  if (value.is_null()) return true;
  return value.is(json::Kind::kArray) &&
         std::ranges::all_of(value.items(), [](const json::Value& operation) {
           return operation.is_null() || operation.is(json::Kind::kObject);
         });
}

Result<json::Document> patch_of(View response, Budget& budget) {
  const std::optional<std::string> text = from_base64(response["patch"].text());
  if (!text) return invalid("received undecodable patch in webhook response: it is not base64");
  Result<json::Document> patch = json::parse(*text, {.budget = &budget});
  if (patch.ok() && is_patch(patch->root())) return patch;
  return invalid("received undecodable patch in webhook response: " +
                 (patch ? std::string("it is no list of operations") : patch.status().message()));
}

StatusDetails details_of(View stated) {
  StatusDetails details;
  details.name = stated["name"].text();
  details.group = stated["group"].text();
  details.kind = stated["kind"].text();
  details.uid = stated["uid"].text();
  details.retry_after_seconds =
      static_cast<int>(std::clamp<int64_t>(stated["retryAfterSeconds"].integer(), 0, 24 * 3600));
  for (const View cause : stated["causes"].items()) {
    details.causes.push_back({.reason = std::string(cause["reason"].text()),
                              .message = std::string(cause["message"].text()),
                              .field = std::string(cause["field"].text())});
  }
  return details;
}

}  // namespace admission_review

Result<std::string> admission_review_version(api::View versions) {
  for (const api::View version : versions.items()) {
    if (version.text() == "v1" || version.text() == "v1beta1") return std::string(version.text());
  }
  return Status(Reason::kUnknown,
                "webhook does not accept known AdmissionReview versions (v1, v1beta1)");
}

std::string admission_text(const AdmissionQuestion& question) {
  using namespace admission_review;
  const Request& request = question.admission.request;
  json::Document head({}, json::Value::object());
  const Edit asked(head);
  asked.set("uid", question.uid);
  set_kind(asked, "kind", question.seen);
  set_resource(asked, "resource", question.seen);
  const std::string_view part =
      request.subresource == nullptr ? std::string_view() : request.subresource->name;
  if (!part.empty()) asked.set("subResource", part);
  set_kind(asked, "requestKind", question.stated);
  set_resource(asked, "requestResource", question.stated);
  if (!part.empty()) asked.set("requestSubResource", part);
  if (!question.name.empty()) asked.set("name", question.name);
  if (!request.name_space.empty()) asked.set("namespace", request.name_space);
  asked.set("operation", operation_name(question.admission.operation));
  set_user(asked, *request.user);
  std::string text = fmt::format(R"({{"kind":"{}","apiVersion":"{}/{}","request":)", kKind, kGroup,
                                 question.version);
  json::print_to(text, head.root());
  text.pop_back();  // the brace: more members follow
  print_member(text, "object", question.object);
  print_member(text, "oldObject", question.old);
  text.append(question.admission.dry_run ? R"(,"dryRun":true)" : R"(,"dryRun":false)");
  print_member(text, "options", question.options);
  text.append("}}");
  return text;
}

Status refused_by(std::string_view webhook, api::View result) {
  const std::string by =
      fmt::format("admission webhook {} denied the request", api::quoted(webhook));
  const std::string_view message = result["message"].text();
  const std::string_view reason = result["reason"].text();
  const std::string_view why = message.empty() ? reason : message;
  constexpr int64_t kLeast = 400;
  constexpr int64_t kMost = 999;  // that a status line can have
  const int64_t code = result["code"].integer();
  return Status(reason_from_name(reason), static_cast<int>(std::clamp(code, kLeast, kMost)),
                why.empty() ? by + " without explanation" : by + ": " + std::string(why))
      .with_details(admission_review::details_of(result["details"]));
}

Result<AdmissionAnswer> read_admission(const AdmissionQuestion& question, std::string_view webhook,
                                       WebhookMay may, std::string_view answer) {
  using namespace admission_review;
  Budget budget;
  const json::Document review = TRY(json::parse(answer, {.budget = &budget}));
  const View response = TRY(response_of(question, review.root()));
  TRY(check_patch(question, response, may));
  AdmissionAnswer read;
  read.allowed = response["allowed"].flag();
  for (const View warning : response["warnings"].items()) {
    if (read.warnings.size() < kMostWarnings) read.warnings.emplace_back(warning.text());
  }
  for (const json::Member& annotation : response["auditAnnotations"].members()) {
    if (annotation.value.is(json::Kind::kString))
      read.audit_annotations.emplace_back(annotation.key, annotation.value.as_string());
  }
  if (!read.allowed) {
    read.refusal = refused_by(webhook, response["status"]);
  } else if (may == WebhookMay::kMutate && !response["patch"].text().empty()) {
    read.patch = TRY(patch_of(response, budget));
  }
  return read;
}

}  // namespace proa::apiserver
