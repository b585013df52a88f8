#pragma once
// Common includes of scheduler tests; precompiled.
#include "json/parse.h"
#include "scheduler/framework/plugin.h"
#include "testkit/fake_clock.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/plugins/test_bench.h"
