#include "apiserver/access/admission/matching/subject.h"

#include <algorithm>

namespace proa::apiserver {
namespace match_subject {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kConfigurations[] = {
    "mutatingadmissionpolicies",         "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",     "validatingadmissionpolicies",
    "validatingadmissionpolicybindings", "validatingwebhookconfigurations",
};

bool is_namespaces(const api::Resource& resource) {
  return resource.group.empty() && resource.name == "namespaces";
}

}  // namespace match_subject

Subject::Subject(const Admission& admission, api::View object, const ObjectReader& objects)
    : admission_(admission), object_(object), objects_(objects) {
  const Request& request = admission.request;
  name_ = request.name;
  if (name_.empty()) name_ = object["metadata"]["name"].text();
  name_space_ = match_subject::is_namespaces(resource()) ? name_ : request.name_space;
  if (request.of_collection) name_.clear();
}

std::string_view Subject::subresource() const {
  const api::Subresource* part = admission_.request.subresource;
  return part == nullptr ? std::string_view() : part->name;
}

const api::Type& Subject::kind_of(const api::Resource& version) const {
  const api::Subresource* part = admission_.request.subresource;
  if (part == nullptr) return *version.type;
  const api::Subresource* same = version.find_subresource(part->name);
  return *(same == nullptr ? part : same)->type;
}

bool Subject::is_namespace() const {
  return kind().group_version == "v1" && kind().name == "Namespace";
}

Result<api::ObjectPtr> Subject::find_namespace() const {
  if (namespace_) return *namespace_;
  Result<api::ObjectPtr> found = objects_.find("", "namespaces", "", name_space_);
  if (found && *found == nullptr) {
    found = Status(Reason::kNotFound, "namespaces \"" + name_space_ + "\" not found")
                .with_details({.name = name_space_, .kind = "namespaces"});
  }
  namespace_ = found;
  return found;
}

bool configures_admission(const Request& request) {
  return request.resource->group == match_subject::kGroup &&
         std::ranges::find(match_subject::kConfigurations, request.resource->name) !=
             std::end(match_subject::kConfigurations);
}

}  // namespace proa::apiserver
