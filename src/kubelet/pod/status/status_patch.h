#pragma once

#include <string>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

struct PatchInputs {
  const Pod& told;        // the pod as the API has it
  const Pod& pod;         // the pod that the status is about; a static one, where `told` mirrors it
  api::View status;       // in the form that the API prints
  bool may_run = false;   // containers may still run: a final phase is not written yet
  bool finished = false;  // nothing is left of it: its phase is made final
  Time now = {};
};

// The strategic merge patch from the API server's status to ours, with the uid as a precondition;
// empty if they are equal. Conditions and fields of others stay. A final phase stays.
std::string make_status_patch(const PatchInputs& inputs);

}  // namespace proa::kubelet
