#include "kubelet/pod/container/profiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kubelet/pod/container/cri_fields.h"

namespace proa::kubelet {
namespace profiles {

// Static pods may still use these annotations; for others the API server sets the fields.
constexpr std::string_view kAppArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

struct Profile {
  std::string_view type = {};
  std::string_view reference = {};  // of Localhost
};

Profile read_profile(api::View view) {
  return {view["type"].text(), view["localhostProfile"].text()};
}

std::optional<Profile> read_annotation(const Pod& pod, api::View container) {
  const std::string name = fmt::format("{}{}", kAppArmorAnnotation, container["name"].text());
  std::string_view value = pod.metadata()["annotations"][name].text();
  if (value == "runtime/default") return Profile{"RuntimeDefault"};
  if (value == "unconfined") return Profile{"Unconfined"};
  constexpr std::string_view kLocalhost = "localhost/";
  if (!value.starts_with(kLocalhost)) return std::nullopt;
  return Profile{"Localhost", value.substr(kLocalhost.size())};
}

std::optional<Profile> find_apparmor(const Pod& pod, api::View container) {
  const api::View own = container["securityContext"]["appArmorProfile"];
  if (own) return read_profile(own);
  if (auto said = read_annotation(pod, container)) return said;
  const api::View of_pod = pod.spec()["securityContext"]["appArmorProfile"];
  if (of_pod) return read_profile(of_pod);
  return std::nullopt;
}

// The runtime opens the file: a path that leads up would let a pod choose any file of the node.
bool leads_up(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

}  // namespace profiles

void write_profile(const api::Edit& profile, ProfileType type, std::string_view reference) {
  write_number(profile, "profile_type", static_cast<int64_t>(type));
  write_text(profile, "localhost_ref", reference);
}

Result<void> write_seccomp(const api::Edit& security_context, const Pod& pod, api::View container,
                           const std::string& root) {
  api::View view = container["securityContext"]["seccompProfile"];
  if (!view) view = pod.spec()["securityContext"]["seccompProfile"];
  const profiles::Profile profile = profiles::read_profile(view);
  const api::Edit edit = security_context.object("seccomp");
  if (profile.type == "RuntimeDefault") {
    write_profile(edit, ProfileType::kRuntimeDefault);
  } else if (profile.type != "Localhost") {
    write_profile(edit, ProfileType::kUnconfined);
  } else if (profile.reference.empty()) {
    return Status(Reason::kBadRequest,
                  "localhostProfile must be set if seccompProfile type is Localhost.");
  } else if (profiles::leads_up(profile.reference)) {
    return Status(Reason::kBadRequest, "localhostProfile must not contain '..'");
  } else {
    write_profile(edit, ProfileType::kLocalhost,
                  fmt::format("{}/seccomp/{}", root, profile.reference));
  }
  return {};
}

Result<void> write_apparmor(const api::Edit& security_context, const Pod& pod,
                            api::View container) {
  const auto profile = profiles::find_apparmor(pod, container);
  if (!profile) return {};
  if (profile->type == "Localhost" && profile->reference.empty())
    return Status(Reason::kBadRequest, "missing localhost apparmor profile name");
  if (profile->type == "RuntimeDefault") {
    write_profile(security_context.object("apparmor"), ProfileType::kRuntimeDefault);
  } else if (profile->type == "Unconfined") {
    write_profile(security_context.object("apparmor"), ProfileType::kUnconfined);
  } else if (profile->type == "Localhost") {
    write_profile(security_context.object("apparmor"), ProfileType::kLocalhost, profile->reference);
  } else {
    return Status(Reason::kBadRequest,
                  fmt::format("unknown apparmor profile type: \"{}\"", profile->type));
  }
  return {};
}

}  // namespace proa::kubelet
