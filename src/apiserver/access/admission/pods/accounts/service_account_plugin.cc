#include <algorithm>

#include "api/validation/go_text.h"
#include "apiserver/access/admission/pods/accounts/secret_references.h"
#include "apiserver/access/admission/pods/accounts/token_volume.h"
#include "apiserver/access/admission/pods/pod_parts.h"
#include "apiserver/access/admission/pods/pods.h"
#include "kinds/core/pods/spec/annotations.h"

namespace proa::apiserver {
namespace service_account_plugin {

using api::Edit;
using api::View;

constexpr std::string_view kDefaultAccount = "default";
constexpr std::string_view kEnforceAnnotation = "kubernetes.io/enforce-mountable-secrets";

// Parsed as by Go's strconv.ParseBool.
bool enforces_secrets(View account) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  const std::string_view text = account["metadata"]["annotations"][kEnforceAnnotation].text();
  return std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue);
}

// The pod's setting overrides the account's.
bool wants_token(View spec, View account) {
  constexpr std::string_view kField = "automountServiceAccountToken";
  return spec[kField].flag(account[kField].flag(true));
}

void copy_pull_secrets(Edit spec, View account) {
  if (!spec["imagePullSecrets"].empty() || account["imagePullSecrets"].empty()) return;
  const Edit references = spec.array("imagePullSecrets");
  for (const View secret : account["imagePullSecrets"].items())
    references.push_object().copy("name", secret["name"]);
}

// A mirror pod already runs, outside of the API's control: it must not gain access to anything.
// Empty if it is acceptable.
std::string_view mirror_problem(View spec) {
  if (!spec["serviceAccountName"].text().empty())
    return "a mirror pod may not reference service accounts";
  if (!secret_names(spec).empty()) return "a mirror pod may not reference secrets";
  for (const View volume : spec["volumes"].items()) {
    for (const View source : volume["projected"]["sources"].items()) {
      if (source["serviceAccountToken"].exists())
        return "a mirror pod may not use ServiceAccountToken volume projections";
    }
  }
  return {};
}

class ServiceAccountPlugin final : public AdmissionPlugin {
 public:
  explicit ServiceAccountPlugin(const AdmissionContext& context)
      : reader_(context.store, context.schema), random_(context.random) {}

  bool concerns(const Admission& admission) const override {
    return is_create(admission) || (admission.operation == Operation::kUpdate &&
                                    admission.is_about("", "pods", "ephemeralcontainers"));
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    if (!is_create(admission)) return {};
    // Mirror pods are not modified: they must match the static pod.
    if (!kinds::pods::is_mirror_pod(pod.view())) TRY(complete(pod, admission));
    return validate(pod.view(), admission);
  }

  Result<void> validate(View pod, const Admission& admission) override {
    const View spec = pod["spec"];
    if (is_create(admission) && kinds::pods::is_mirror_pod(pod)) {
      const std::string_view problem = mirror_problem(spec);
      if (!problem.empty()) return admission.forbidden(pod, problem);
      return {};
    }
    if (spec["serviceAccountName"].text().empty()) {
      return admission.forbidden(pod, "no service account specified for pod " +
                                          admission.request.name_space + "/" +
                                          std::string(pod["metadata"]["name"].text()));
    }
    const json::Document account = TRY(account_of(pod, admission));
    if (!enforces_secrets(account.root())) return {};
    const std::string problem =
        is_create(admission)
            ? foreign_secret_of_pod(spec, account.root())
            // Upstream's limitEphemeralContainerSecretReferences answers 500 here, by mistake.
            : foreign_secret_of_ephemeral_containers(spec, account.root());
    if (!problem.empty()) return admission.forbidden(pod, problem);
    return {};
  }

 private:
  static bool is_create(const Admission& admission) {
    return admission.operation == Operation::kCreate && admission.is_about("", "pods");
  }

  Result<void> complete(Edit pod, const Admission& admission) {
    const Edit spec = pod.object("spec");
    if (spec["serviceAccountName"].text().empty()) {
      spec.set("serviceAccountName", kDefaultAccount);
      spec.set("serviceAccount", kDefaultAccount);  // deprecated alias
    }
    const json::Document account = TRY(account_of(pod.view(), admission));
    if (wants_token(spec.view(), account.root())) mount_token(spec, random_);
    copy_pull_secrets(spec, account.root());
    return {};
  }

  Result<json::Document> account_of(View pod, const Admission& admission) const {
    const std::string& name_space = admission.request.name_space;
    const std::string name(pod["spec"]["serviceAccountName"].text());
    const api::ObjectPtr account = TRY(reader_.find("", "serviceaccounts", name_space, name));
    if (account == nullptr) {
      return admission.forbidden(pod, "error looking up service account " + name_space + "/" +
                                          name + ": serviceaccount " + api::quoted(name) +
                                          " not found");
    }
    return account->document();
  }

  const ObjectReader reader_;
  Random& random_;
};

}  // namespace service_account_plugin

MadePlugin make_service_account(const AdmissionContext& context) {
  return std::make_unique<service_account_plugin::ServiceAccountPlugin>(context);
}

}  // namespace proa::apiserver
