#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Storage without a driver: volumes that are folders of the node which the scheduler chose for the
// first pod. Makes the class "local-path" at its start where there is none; makes volumes for
// claims of classes whose provisioner it is, and deletes them when they are released.
//
// The kubelet of the node makes the directory, below the root that it announces on its Node. A
// volume has the finalizer "proa.dev/local-path": once the volume is deleted, the kubelet removes
// the directory, then the finalizer; for a node that is gone, this controller removes the
// finalizer. Kubelets that are not Proa's announce no root; they get hostPath volumes without a
// finalizer, and the directory stays.
//
// The keys are those of claims, of volumes, which have no namespace, and an empty one for the
// class.
std::unique_ptr<Controller> make_local_path_provisioner(const ControllerContext& context);

}  // namespace proa::controllers
