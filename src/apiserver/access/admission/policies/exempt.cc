#include "apiserver/access/admission/policies/exempt.h"

#include <algorithm>
#include <utility>

namespace proa::apiserver {
namespace exempt_from_policies {

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

constexpr std::pair<std::string_view, std::string_view> kExempt[] = {
    {kAdmission, "mutatingadmissionpolicies"},
    {kAdmission, "mutatingadmissionpolicybindings"},
    {kAdmission, "validatingadmissionpolicies"},
    {kAdmission, "validatingadmissionpolicybindings"},
    {kAuthentication, "selfsubjectreviews"},
    {kAuthentication, "tokenreviews"},
    {kAuthorization, "localsubjectaccessreviews"},
    {kAuthorization, "selfsubjectaccessreviews"},
    {kAuthorization, "selfsubjectrulesreviews"},
    {kAuthorization, "subjectaccessreviews"},
};

}  // namespace exempt_from_policies

bool is_exempt_from_policies(const Request& request) {
  const std::pair own(request.resource->group, request.resource->name);
  return std::ranges::find(exempt_from_policies::kExempt, own) !=
         std::end(exempt_from_policies::kExempt);
}

}  // namespace proa::apiserver
