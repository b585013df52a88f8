#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "kinds/defaulting.h"

namespace proa::controllers::deployments {

// The label that tells the pods of one ReplicaSet from those of the deployment's others.
inline constexpr std::string_view kHashLabel = "pod-template-hash";

// What a pod template asks for. Two are equal when the pods would be: whatever kHashLabel says, in
// whichever order fields stand, and whether a default is written down or left out.
struct TemplateDigest {
  std::array<unsigned char, 32> bytes{};
  bool operator==(const TemplateDigest&) const = default;
};

class Templates {
 public:
  // The schema outlives it.
  explicit Templates(const api::Schema& schema);

  TemplateDigest digest(api::View pod_template) const;
  // Of spec.template; worked out once for each state of the object.
  const TemplateDigest& digest_of(const api::Object& owner) const;

 private:
  const api::Type& type_;
  const kinds::Defaulting defaulting_;
};

// The value of kHashLabel. A collision count gives another one for the same template: the first
// may be the name of something else.
std::string template_hash(const TemplateDigest& digest, std::optional<int64_t> collision_count);

// Always the same for the same template, so that it is not made twice.
std::string set_name(std::string_view deployment, std::string_view hash);

}  // namespace proa::controllers::deployments
