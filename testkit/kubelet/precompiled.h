#pragma once
// What most tests of the kubelet include; compiled once.
#include "api/object/view.h"
#include "json/parse.h"
#include "kubelet/model/pod.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
