#include "kinds/certificates/certificate_signing_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/pem.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace certificate_signing_request {

constexpr int64_t kMinSeconds = 600;
constexpr size_t kMaxDomainBytes = 253;
// The part after the domain: a namespace, a dot and a name.
constexpr size_t kMaxSignerBytes = kMaxDomainBytes + 1 + (253 + 63 + 1);

// Sorted, as messages list them.
constexpr std::string_view kUsages[] = {"any",
                                        "cert sign",
                                        "client auth",
                                        "code signing",
                                        "content commitment",
                                        "crl sign",
                                        "data encipherment",
                                        "decipher only",
                                        "digital signature",
                                        "email protection",
                                        "encipher only",
                                        "ipsec end system",
                                        "ipsec tunnel",
                                        "ipsec user",
                                        "key agreement",
                                        "key encipherment",
                                        "microsoft sgc",
                                        "netscape sgc",
                                        "ocsp signing",
                                        "s/mime",
                                        "server auth",
                                        "signing",
                                        "timestamping"};

void validate_request(View request, const api::Path& path, api::FieldErrors& errors) {
  const std::string bytes = from_base64(request.text()).value_or("");
  std::string_view rest = bytes;
  const auto block = crypto::next_pem_block(rest);
  if (!block || block->type != "CERTIFICATE REQUEST") {
    errors.invalid(path, request, "PEM block type must be CERTIFICATE REQUEST");
  } else if (!block->is_sequence()) {
    errors.invalid(path, request.text(), "asn1: structure error: tags don't match");
  }
}

void validate_usages(View usages, const api::Path& path, api::FieldErrors& errors) {
  if (usages.empty()) errors.required(path);
  each(usages, path, [&](View usage, const api::Path& at) {
    if (!std::binary_search(std::begin(kUsages), std::end(kUsages), usage.text())) {
      errors.not_supported(at, usage.text(), kUsages);
    }
  });
  std::set<std::string_view> seen;
  each(usages, path, [&](View usage, const api::Path& at) {
    if (!seen.insert(usage.text()).second) errors.duplicate(at, usage);
  });
}

// Checks all labels of a name, and reports the first invalid one.
void validate_labels(std::string_view name, api::NameCheck check, const api::Path& path,
                     api::FieldErrors& errors) {
  for (const std::string_view label : split(name, '.')) {
    const api::Problems problems = check(label);
    for (const std::string& problem : problems) {
      errors.invalid(path, name,
                     fmt::format("validating label {}: {}", api::quoted(label), problem));
    }
    if (!problems.empty()) return;
  }
}

void validate_signer(std::string_view signer, const api::Path& path, api::FieldErrors& errors) {
  if (signer.empty()) return errors.required(path);
  if (signer == "kubernetes.io/legacy-unknown") {
    return errors.invalid(path, signer,
                          "the legacy signerName is not allowed via this API version");
  }
  const auto parts = split(signer, '/');
  if (parts.size() != 2) {
    return errors.invalid(
        path, signer,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  if (parts[0].size() > kMaxDomainBytes) errors.too_long(path, kMaxDomainBytes);
  validate_labels(parts[0], api::check_dns1123_label, path, errors);
  if (parts[0].find('.') == std::string_view::npos) {
    errors.invalid(path, parts[0],
                   "should be a domain with at least two segments separated by dots");
  }
  validate_labels(parts[1], api::check_dns1123_subdomain, path, errors);
  if (signer.size() > kMaxSignerBytes) errors.too_long(path, kMaxSignerBytes);
}

bool is_verdict(std::string_view type) { return type == "Approved" || type == "Denied"; }

void validate_condition(View condition, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = condition["type"].text();
  if (type.empty()) errors.required(path.field("type"));
  if (is_verdict(type) || type == "Failed") {
    require_one_of(condition["status"], {"True"}, path.field("status"), errors);
  } else {
    require_one_of(condition["status"], {"False", "True", "Unknown"}, path.field("status"), errors);
  }
}

void validate_conditions(View conditions, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> seen;
  each(conditions, path, [&](View condition, const api::Path& at) {
    validate_condition(condition, at, errors);
    const std::string_view type = condition["type"].text();
    if (is_verdict(type) && seen.contains(type == "Approved" ? "Denied" : "Approved")) {
      errors.invalid(path, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (!seen.insert(type).second) errors.duplicate(at.field("type"), type);
  });
}

std::string certificate_problem(std::string_view text) {
  if (text.empty()) return {};
  size_t blocks = 0;
  while (const auto block = crypto::next_pem_block(text)) {
    if (block->type != "CERTIFICATE") {
      return fmt::format("only CERTIFICATE PEM blocks are allowed, found {}",
                         api::quoted(block->type));
    }
    if (block->has_headers) return "no PEM block headers are permitted";
    if (!block->is_sequence()) return "x509: malformed certificate";
    ++blocks;
  }
  return blocks == 0 ? "must contain at least one CERTIFICATE PEM block" : "";
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_request(spec["request"], path.field("request"), errors);
  validate_usages(spec["usages"], path.field("usages"), errors);
  validate_signer(spec["signerName"].text(), path.field("signerName"), errors);
  const View seconds = spec["expirationSeconds"];
  if (seconds && seconds.integer() < kMinSeconds) {
    errors.invalid(path.field("expirationSeconds"), seconds,
                   "may not specify a duration less than 600 seconds (10 minutes)");
  }
  validate_conditions(object["status"]["conditions"], api::Path("status.conditions"), errors);
  const std::string certificate = from_base64(object["status"]["certificate"].text()).value_or("");
  const std::string problem = certificate_problem(certificate);
  if (!problem.empty()) {
    errors.invalid(api::Path("status.certificate"), "<certificate data>", problem);
  }
}

std::vector<View> find_conditions(View object, std::string_view type) {
  std::vector<View> found;
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == type) found.push_back(condition);
  }
  return found;
}

void forbid_conditions(const char* what, std::string_view type, api::FieldErrors& errors) {
  errors.forbidden(api::Path("status.conditions"),
                   fmt::format("updates may not {} a condition of type \"{}\"", what, type));
}

// The three ways to update a request.
enum class Way : uint8_t { kObject, kStatus, kApproval };

void validate_change(View object, View old, Way way, api::FieldErrors& errors) {
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    if (find_conditions(object, type).size() < find_conditions(old, type).size()) {
      forbid_conditions("remove", type, errors);
    }
  }
  for (const std::string_view type : {"Approved", "Denied"}) {
    const auto now = find_conditions(object, type);
    const auto before = find_conditions(old, type);
    if (way == Way::kApproval || now.size() < before.size()) continue;
    if (now.size() > before.size()) {
      forbid_conditions("add", type, errors);
    } else if (now != before) {
      forbid_conditions("modify", type, errors);
    }
  }
  const std::string_view certificate = object["status"]["certificate"].text();
  const std::string_view before = old["status"]["certificate"].text();
  if (certificate == before) return;
  const api::Path path("status.certificate");
  if (way != Way::kStatus) {
    errors.forbidden(path, "updates may not set certificate content");
  } else if (!before.empty()) {
    errors.forbidden(path, "updates may not modify existing certificate content");
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  validate_change(object, old, Way::kObject, errors);
}

void validate_status_update(View object, View old, api::FieldErrors& errors) {
  validate(object, errors);
  validate_change(object, old, Way::kStatus, errors);
}

void set_texts(api::Edit object, std::string_view name, std::span<const std::string> texts) {
  if (texts.empty()) return;
  const api::Edit list = object.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(list.arena(), text));
}

// Signers trust these fields, so they come from the authenticated user, not from the client.
void prepare_create(api::Edit object, const Writer& writer) {
  const api::Edit spec = object.object("spec");
  for (const std::string_view name : {"username", "uid", "groups", "extra"}) spec.remove(name);
  if (!writer.user.empty()) spec.set("username", writer.user);
  if (!writer.uid.empty()) spec.set("uid", writer.uid);
  set_texts(spec, "groups", writer.groups);
  for (const auto& [key, values] : writer.extra) set_texts(spec.object("extra"), key, values);
}

void prepare_update(api::Edit object, View old, const Writer&) { object.copy("spec", old["spec"]); }

using TypeAndStatus = std::pair<std::string_view, std::string_view>;

TypeAndStatus type_and_status(View condition) {
  return {condition["type"].text(), condition["status"].text()};
}

// The first one of equal conditions counts.
std::map<TypeAndStatus, std::string_view> transition_times(View object) {
  std::map<TypeAndStatus, std::string_view> times;
  for (const View condition : object["status"]["conditions"].items()) {
    if (const View time = condition["lastTransitionTime"])
      times.try_emplace(type_and_status(condition), time.text());
  }
  return times;
}

void fill_in_times(api::Edit object, View old, Time now) {
  if (object["status"]["conditions"].empty()) return;
  const std::string time = format_time(now);
  const auto before = transition_times(old);
  const api::Edit conditions = object.existing("status").existing("conditions");
  for (size_t i = 0; i < conditions.size(); ++i) {
    const api::Edit condition = conditions.item(i);
    condition.set_default("lastUpdateTime", time);
    if (condition["lastTransitionTime"]) continue;
    const auto found = before.find(type_and_status(condition.view()));
    condition.set("lastTransitionTime", found == before.end() ? time : found->second);
  }
}

// If their number did not change, keep the old ones.
void keep_conditions(api::Edit object, View old, std::string_view type) {
  const auto before = find_conditions(old, type);
  if (before.empty() || find_conditions(object.view(), type).size() != before.size()) return;
  const api::Edit conditions = object.existing("status").existing("conditions");
  size_t next = 0;
  for (json::Value& condition : conditions.value().items()) {
    if (View(condition)["type"].text() != type) continue;
    condition = before[next++].value()->copy(conditions.arena());
  }
}

void prepare_status_update(api::Edit object, View old, const Writer& writer) {
  keep_conditions(object, old, "Approved");
  keep_conditions(object, old, "Denied");
  fill_in_times(object, old, writer.now);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Age"},
    {.name = "SignerName", .description = "Who shall sign it."},
    {.name = "Requestor", .description = "Who asks for it."},
    {.name = "RequestedDuration", .description = "How long it shall be valid."},
    {.name = "Condition", .description = "What was decided."},
};

std::string condition_text(View object) {
  std::string text = "Pending";
  if (!find_conditions(object, "Approved").empty()) text = "Approved";
  if (!find_conditions(object, "Denied").empty()) text = "Denied";
  if (!find_conditions(object, "Failed").empty()) text += ",Failed";
  if (!object["status"]["certificate"].text().empty()) text += ",Issued";
  return text;
}

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
  const std::string_view signer = spec["signerName"].text();
  cells.text(signer.empty() ? "<none>" : signer);
  cells.text(spec["username"].text());
  const View seconds = spec["expirationSeconds"];
  cells.text(seconds ? human_duration(std::chrono::seconds(seconds.integer())) : "<none>");
  cells.text(condition_text(object));
}

}  // namespace certificate_signing_request

void prepare_approval_update(api::Edit request, View old, const Writer& writer) {
  certificate_signing_request::fill_in_times(request, old, writer.now);
}

void validate_approval_update(View request, View old, api::FieldErrors& errors) {
  using certificate_signing_request::Way;
  certificate_signing_request::validate(request, errors);
  certificate_signing_request::validate_change(request, old, Way::kApproval, errors);
}

KindRules certificate_signing_request_rules() {
  return {.kind = "certificates.k8s.io/v1/CertificateSigningRequest",
          .name = api::check_path_segment,
          .metadata = {.update = "MU", .status = "MU"},
          .prepare_create = certificate_signing_request::prepare_create,
          .prepare_update = certificate_signing_request::prepare_update,
          .prepare_status_update = certificate_signing_request::prepare_status_update,
          .validate = certificate_signing_request::validate,
          .validate_update = certificate_signing_request::validate_update,
          .validate_status_update = certificate_signing_request::validate_status_update,
          .columns = certificate_signing_request::kColumns,
          .row = certificate_signing_request::row};
}

}  // namespace proa::kinds
