#pragma once

#include <functional>
#include <map>

#include "kubelet/model/object_source.h"
#include "kubelet/pod/environment/downward_api.h"
#include "kubelet/pod/environment/variable.h"

namespace proa::kubelet {

struct EnvironmentInputs {
  const Pod& pod;
  api::View container;
  const PodFacts& facts;
  ObjectSource& objects;
  // The services whose addresses pods of that namespace are told: its own, and default/kubernetes.
  // More are no harm. Null: none.
  std::function<std::vector<api::ObjectPtr>(std::string_view name_space)> services;
  // The folders of volumes, for env.valueFrom.fileKeyRef.
  const std::map<std::string, std::string, std::less<>>* volume_paths = nullptr;
  // False while services were never read: pods of the API wait, static ones start without.
  bool services_known = true;
};

// Everything that a container finds in its environment: service variables, envFrom, env, with
// $(VAR) expanded; of each name one. A failure is what upstream's CreateContainerConfigError says.
Result<Environment> make_environment(const EnvironmentInputs& inputs);

// $(VAR) in command, args and the like; $$ is a dollar; unknown ones stay as they are, and so do
// those that would make the text longer than any program could be given.
std::string expand(std::string_view text, const Environment& environment);

}  // namespace proa::kubelet
