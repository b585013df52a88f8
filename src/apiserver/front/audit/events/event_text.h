#pragma once

#include <string>

#include "apiserver/front/audit/events/event.h"

namespace proa::apiserver::audit {

enum class WithType : uint8_t { kYes, kNo };  // kind and apiVersion; items of a list have none
enum class WithObjects : uint8_t { kYes, kNo };

// The event as upstream's v1.36 prints an audit.k8s.io/v1 Event: no line end. Without objects it is
// marked as truncated. Parses what was sent: not on a loop thread.
std::string event_json(const Event& event, WithType type = WithType::kYes,
                       WithObjects objects = WithObjects::kYes);

// The format "legacy": one line of text, no line end.
std::string event_line(const Event& event);

}  // namespace proa::apiserver::audit
