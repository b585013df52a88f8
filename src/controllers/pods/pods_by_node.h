#pragma once

#include "controllers/framework/informers.h"

namespace proa::controllers {

// The informer of pods with the index "node": the name of the node that a pod is bound to.
client::Informer& pods_by_node(Informers& informers);

}  // namespace proa::controllers
