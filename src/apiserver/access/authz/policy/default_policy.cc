#include "apiserver/access/authz/policy/default_policy.h"

#include <iterator>

#include "base/check.h"

namespace proa::apiserver {
namespace default_policy_text {

// The files are raw string literals, so that the compiler tracks them as dependencies.
constexpr std::string_view kRoles =
#include "apiserver/access/authz/policy/roles.policy"
    ;
constexpr std::string_view kControllers =
#include "apiserver/access/authz/policy/controllers.policy"
    ;
constexpr std::string_view kNamespaces =
#include "apiserver/access/authz/policy/namespaces.policy"
    ;
constexpr std::string_view kOwn =
#include "apiserver/access/authz/policy/own.policy"
    ;

}  // namespace default_policy_text

std::vector<PolicyObject> default_policy() {
  std::vector<PolicyObject> objects;
  for (const std::string_view text :
       {default_policy_text::kRoles, default_policy_text::kControllers,
        default_policy_text::kNamespaces, default_policy_text::kOwn}) {
    Result<std::vector<PolicyObject>> parsed = parse_policy(text);
    CHECK(parsed.ok());
    std::move(parsed->begin(), parsed->end(), std::back_inserter(objects));
  }
  return objects;
}

}  // namespace proa::apiserver
