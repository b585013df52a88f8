#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Storage without a driver: volumes that are folders of the node which the scheduler chose for the
// first pod. Makes the class "local-path" at its start where there is none; makes volumes for
// claims of classes whose provisioner it is, and deletes them when they are released.
//
// The kubelet makes the folder, as for every hostPath of type DirectoryOrCreate. Nobody removes it
// yet: the volume's object goes, what was in the folder stays on the node. Kubelets are to do it
// like this: volumes get a finalizer "proa.dev/local-path" when they are made; a volume that is
// marked as deleted and names a node (annotation proa.dev/local-path-node) is that kubelet's: it
// removes the folder, then takes the finalizer off; of a node that is gone, this controller takes
// it off. Until kubelets do, the finalizer would only keep volumes from going, so none is put on.
//
// The keys are those of claims, of volumes, which have no namespace, and an empty one for the
// class.
std::unique_ptr<Controller> make_local_path_provisioner(const ControllerContext& context);

}  // namespace proa::controllers
