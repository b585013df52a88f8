#pragma once

#include <string_view>

#include "api/selector/label_selector.h"
#include "client/informer/informer.h"
#include "client/informer/work_queue.h"

namespace proa::controllers {

// "spec.selector" of an owner, read once. Null when there is none that can be understood.
const api::LabelSelector* selector_of(const api::Object& owner);

// Puts owners of `kind` ("DaemonSet") into the queue when something happens to an object that they
// control, or that nobody controls and that they may want to adopt. Everything outlives the
// informers' handlers; `kind` is a literal.
void listen_for_owned(client::Informer& objects, const client::Informer& owners,
                      std::string_view kind, client::WorkQueue& queue);

}  // namespace proa::controllers
