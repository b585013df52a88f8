#pragma once
// Common includes of kubelet tests; precompiled.
#include "api/object/view.h"
#include "json/parse.h"
#include "kubelet/model/pod.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
