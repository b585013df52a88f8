#include "controllers/access/certificates/approval.h"

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "client/certificates/signer_rules.h"
#include "crypto/certificate_request.h"
#include "json/print.h"

namespace proa::controllers {
namespace approval {

using api::View;

client::RequestCondition approved(std::string message) {
  return {.type = "Approved", .reason = "AutoApproved", .message = std::move(message)};
}

}  // namespace approval

std::string review_of(api::View object, std::string_view subresource) {
  const api::View sender = object["spec"];
  json::Document document({}, json::Value::object());
  const api::Edit spec = api::Edit(document).object("spec");
  spec.set("user", sender["username"].text());
  spec.copy("uid", sender["uid"]);
  spec.copy("groups", sender["groups"]);
  spec.copy("extra", sender["extra"]);
  const api::Edit wanted = spec.object("resourceAttributes");
  wanted.set("verb", "create");
  wanted.set("group", "certificates.k8s.io");
  wanted.set("version", "*");
  wanted.set("resource", "certificatesigningrequests");
  wanted.set("subresource", subresource);
  return json::print(document.root());
}

Result<std::optional<client::RequestCondition>> approval_of(api::View object,
                                                            const MayCreate& may_create) {
  const auto nothing = std::optional<client::RequestCondition>();
  const client::RequestVerdict verdict = client::request_verdict_of(object);
  if (client::has_certificate(object) || verdict.approved || verdict.denied) return nothing;
  if (object["spec"]["signerName"].text() != client::kKubeletClientSigner) return nothing;
  const crypto::CertificateRequest request = TRY(client::request_of(object));
  if (!client::check_for_signer(client::kKubeletClientSigner, request, client::usages_of(object)))
    return nothing;

  const bool for_itself = object["spec"]["username"].text() == request.identity().common_name;
  if (for_itself) {
    const bool may = TRY(may_create("selfnodeclient"));
    if (may) {
      return std::optional(approval::approved(
          "Auto approving self kubelet client certificate after SubjectAccessReview."));
    }
  }
  const bool may = TRY(may_create("nodeclient"));
  if (may) {
    return std::optional(
        approval::approved("Auto approving kubelet client certificate after SubjectAccessReview."));
  }
  return Status(Reason::kForbidden, "recognized csr " +
                                        api::quoted(object["metadata"]["name"].text()) + " as [" +
                                        (for_itself ? "selfnodeclient " : "") +
                                        "nodeclient] but subject access review was not approved");
}

}  // namespace proa::controllers
