#include "apiserver/resources/subresources/token.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "apiserver/access/tokens/service_account_tokens.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/subresources/posted.h"
#include "json/print.h"

namespace proa::apiserver {
namespace token {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "authentication.k8s.io";
constexpr int64_t kMinSeconds = 600;
constexpr int64_t kMaxSeconds = int64_t{1} << 32;
// The expiry that projected volumes request. Such tokens are valid for a year, for clients that do
// not reload them, and carry a time after which their use is reported.
constexpr int64_t kWarnedSeconds = 3607;
constexpr int64_t kExtendedSeconds = 365 * 24 * 3600;

Result<json::Document> read_object(const ApiContext& context, const Request& request,
                                   std::string_view resource, std::string_view name) {
  Request wanted;
  wanted.resource = context.schema.find_resource("", "v1", resource);
  wanted.name_space = wanted.resource->namespaced ? request.name_space : "";
  wanted.name = name;
  const store::EntryPtr entry = TRY(get_object(context.store, wanted, ""));
  return object_of(entry)->document();
}

NamedObject name_of(View object) {
  const View metadata = object["metadata"];
  return {std::string(metadata["name"].text()), std::string(metadata["uid"].text())};
}

Status conflict(std::string_view group, std::string_view kind, std::string_view name,
                const std::string& why) {
  StatusDetails details;
  details.name = name;
  details.group = group;
  details.kind = kind;
  const std::string qualified = std::string(kind) + (group.empty() ? "" : "." + std::string(group));
  return Status(Reason::kConflict, "Operation cannot be fulfilled on " + qualified + " " +
                                       api::quoted(name) + ": " + why)
      .with_details(std::move(details));
}

Result<void> check_name(const Request& request, View wanted) {
  const View name = wanted["metadata"]["name"];
  if (name.text().empty() || name.text() == request.name) return {};
  api::FieldErrors errors;
  errors.invalid(api::Path("metadata.name"), name,
                 "must match the service account name if specified");
  return errors.to_status(kGroup, "TokenRequest", request.name);
}

Result<void> check_uid(const Request& request, View wanted, const NamedObject& account) {
  const std::string uid(wanted["metadata"]["uid"].text());
  if (uid.empty() || uid == account.uid) return {};
  return conflict(kGroup, "TokenRequest", request.name,
                  "the UID in the token request (" + uid +
                      ") does not match the UID of the service account (" + account.uid + ")");
}

Result<int64_t> check_seconds(View wanted) {
  const int64_t seconds = wanted["spec"]["expirationSeconds"].integer();
  api::FieldErrors errors;
  const api::Path path("spec.expirationSeconds");
  if (seconds < kMinSeconds) {
    errors.invalid(path, seconds, "may not specify a duration less than 10 minutes");
  }
  if (seconds > kMaxSeconds) {
    errors.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds");
  }
  if (!errors.empty()) return errors.to_status(kGroup, "TokenRequest", "");
  return seconds;
}

Result<void> bind_to_pod(const ApiContext& context, const Request& request, View reference,
                         ServiceAccountClaims& claims) {
  const json::Document pod = TRY(read_object(context, request, "pods", reference["name"].text()));
  const View spec = View(pod.root())["spec"];
  if (spec["serviceAccountName"].text() != request.name) {
    return Status(Reason::kBadRequest, "cannot bind token for serviceaccount " +
                                           api::quoted(request.name) +
                                           " to pod running with different serviceaccount name.");
  }
  claims.pod = name_of(pod.root());
  const std::string node_name(spec["nodeName"].text());
  if (node_name.empty()) return {};
  const Result<json::Document> node = read_object(context, request, "nodes", node_name);
  if (!node && !node.is(Reason::kNotFound)) return node.status();
  // A missing node is recorded too, without a uid.
  claims.node = node ? name_of(node->root()) : NamedObject{node_name, ""};
  return {};
}

// "apps/v1, Kind=Deployment", as upstream prints kinds.
std::string printed_kind(std::string_view api_version, std::string_view kind) {
  std::string text = api_version.find('/') == std::string_view::npos ? "/" : "";
  return text.append(api_version).append(", Kind=").append(kind);
}

// Binds the token to the object in the request.
Result<void> bind(const ApiContext& context, const Request& request, View reference,
                  ServiceAccountClaims& claims) {
  if (!reference) return {};
  const std::string_view kind = reference["kind"].text();
  const std::string_view api_version = reference["apiVersion"].text();
  const bool is_core = api_version.find('/') == std::string_view::npos;
  std::string_view found;
  if (is_core && kind == "Pod") {
    TRY(bind_to_pod(context, request, reference, claims));
    found = claims.pod->uid;
  } else if (is_core && (kind == "Node" || kind == "Secret")) {
    const bool is_node = kind == "Node";
    const json::Document object =
        TRY(read_object(context, request, is_node ? "nodes" : "secrets", reference["name"].text()));
    std::optional<NamedObject>& place = is_node ? claims.node : claims.secret;
    place = name_of(object.root());
    found = place->uid;
  } else {
    return Status(Reason::kBadRequest,
                  "cannot bind token to object of type " + printed_kind(api_version, kind));
  }
  const std::string_view uid = reference["uid"].text();
  if (uid.empty() || uid == found) return {};
  return conflict("", kind, reference["name"].text(),
                  "the UID in the bound object reference (" + std::string(uid) +
                      ") does not match the UID in record. The object might have been deleted and "
                      "then recreated");
}

void set_times(ServiceAccountClaims& claims, int64_t seconds, const ServiceAccountTokens& tokens) {
  const auto is_ours = [&](const std::string& audience) {
    const std::vector<std::string>& ours = tokens.audiences();
    return std::find(ours.begin(), ours.end(), audience) != ours.end();
  };
  const bool extended = claims.pod && seconds == kWarnedSeconds &&
                        std::all_of(claims.audiences.begin(), claims.audiences.end(), is_ours);
  if (extended) claims.warn_after = claims.issued + std::chrono::seconds(seconds);
  claims.expires = claims.issued + std::chrono::seconds(extended ? kExtendedSeconds : seconds);
}

void set_audiences(Edit spec, const std::vector<std::string>& audiences) {
  if (!spec["audiences"].empty()) return;
  spec.remove("audiences");
  const Edit list = spec.array("audiences");
  for (const std::string& audience : audiences) {
    list.push(json::Value::string(spec.arena(), audience));
  }
}

// What the server knows better than the request; upstream's TokenREST fills it in before validating
// admission.
void complete(Edit wanted, const ServiceAccountClaims& claims,
              const std::vector<std::string>& audiences) {
  set_audiences(wanted.object("spec"), audiences);
  const Edit metadata = wanted.object("metadata");
  metadata.set("name", claims.service_account.name);
  metadata.set("namespace", claims.name_space);
  metadata.set("uid", claims.service_account.uid);
  metadata.set("creationTimestamp", format_time(claims.issued));
  wanted.remove("status");
}

}  // namespace token

Result<Answer> run_token(const ApiContext& context, Call& call) {
  using namespace token;
  if (context.tokens == nullptr) {
    return no_such_resource();
  }
  const Request& request = call.request;
  const api::Type& type = *request.subresource->type;
  Posted posted = TRY(read_posted(context, type, call));
  TRY(check_name(request, posted.view()));
  const json::Document account =
      TRY(read_object(context, request, "serviceaccounts", request.name));
  ServiceAccountClaims claims;
  claims.name_space = request.name_space;
  claims.service_account = name_of(account.root());
  claims.id = make_uid(context.random);
  claims.issued = std::chrono::floor<std::chrono::seconds>(context.clock.now());
  TRY(check_uid(request, posted.view(), claims.service_account));
  const int64_t seconds = TRY(check_seconds(posted.view()));

  const Edit answer(posted.document);
  complete(answer, claims, context.tokens->audiences());
  TRY(validate_posted(context, request, posted));
  for (const View audience : posted.view()["spec"]["audiences"].items()) {
    claims.audiences.emplace_back(audience.text());
  }
  TRY(bind(context, request, posted.view()["spec"]["boundObjectRef"], claims));
  set_times(claims, seconds, *context.tokens);
  const std::string signed_token = TRY(context.tokens->issue(claims));
  if (request.audit != nullptr) {
    request.audit->annotate("authentication.kubernetes.io/issued-credential-id",
                            "JTI=" + claims.id);
  }

  const Edit status = answer.object("status");
  status.set("token", signed_token);
  status.set("expirationTimestamp", format_time(claims.issued + std::chrono::seconds(seconds)));
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(posted.document), type, api::FieldValidation::kIgnore));
  return Answer{.code = 201, .json = json::print(canonical.document.root()), .type = &type};
}

}  // namespace proa::apiserver
