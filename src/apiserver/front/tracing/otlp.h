#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/front/tracing/span.h"

namespace proa::apiserver::tracing {

// The method of OTLP that takes spans.
constexpr std::string_view kExportMethod =
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

// An ExportTraceServiceRequest. `instance`: which server of several they come from.
std::string encode_spans(std::span<const Span> spans, std::string_view instance);

// How many spans the collector refused, by its ExportTraceServiceResponse.
uint64_t rejected_spans(std::string_view response);

}  // namespace proa::apiserver::tracing
