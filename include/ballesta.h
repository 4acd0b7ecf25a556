/*
 * The functions that the library of a ballesta FMU exports: FMI 2.0 and FMI 3.0 for Co-Simulation.
 * Generated from src/fmi/exports/ by the test header of crates/tools; BALLESTA_REWRITE=1 writes it anew.
 * Needs the official headers of the standard (fmi2Functions.h, fmi3Functions.h and what they include) on the include path.
 */

#ifndef BALLESTA_H
#define BALLESTA_H

#include "fmi2Functions.h"
#include "fmi3Functions.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The platform of `fmi2TypesPlatform.h`.
 */
const char *fmi2GetTypesPlatform(void);

/*
 The version of the standard.
 */
const char *fmi2GetVersion(void);

/*
 Switches log categories; an unknown one is an fmi2Warning.
 */
fmi2Status fmi2SetDebugLogging(fmi2Component c,
                               fmi2Boolean loggingOn,
                               size_t nCategories,
                               const fmi2String *categories);

/*
 A new instance, or NULL after the logger has been told why not. The callbacks are copied and may be NULL.
 */
fmi2Component fmi2Instantiate(fmi2String instanceName,
                              fmi2Type fmuType,
                              fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible,
                              fmi2Boolean loggingOn);

/*
 Frees an instance. NULL is ignored.
 */
void fmi2FreeInstance(fmi2Component c);

/*
 Start and stop time in s; needed before fmi2EnterInitializationMode. The tolerance is not used.
 */
fmi2Status fmi2SetupExperiment(fmi2Component c,
                               fmi2Boolean toleranceDefined,
                               fmi2Real tolerance,
                               fmi2Real startTime,
                               fmi2Boolean stopTimeDefined,
                               fmi2Real stopTime);

/*
 Compiles the system if fixed parameters were set.
 */
fmi2Status fmi2EnterInitializationMode(fmi2Component c);

/*
 Computes the initial state and the outputs in it.
 */
fmi2Status fmi2ExitInitializationMode(fmi2Component c);

/*
 Ends the simulation; values can still be read.
 */
fmi2Status fmi2Terminate(fmi2Component c);

/*
 Back to the state after fmi2Instantiate.
 */
fmi2Status fmi2Reset(fmi2Component c);

/*
 Values of Real variables, SI.
 */
fmi2Status fmi2GetReal(fmi2Component c,
                       const fmi2ValueReference *vr,
                       size_t nvr,
                       fmi2Real *value);

/*
 Values of Integer variables.
 */
fmi2Status fmi2GetInteger(fmi2Component c,
                          const fmi2ValueReference *vr,
                          size_t nvr,
                          fmi2Integer *value);

/*
 Values of Boolean variables: fmi2True or fmi2False.
 */
fmi2Status fmi2GetBoolean(fmi2Component c,
                          const fmi2ValueReference *vr,
                          size_t nvr,
                          fmi2Boolean *value);

/*
 There are no String variables: fmi2Error unless `nvr` is 0.
 */
fmi2Status fmi2GetString(fmi2Component c,
                         const fmi2ValueReference *vr,
                         size_t nvr,
                         fmi2String *value);

/*
 Sets inputs and parameters, SI.
 */
fmi2Status fmi2SetReal(fmi2Component c,
                       const fmi2ValueReference *vr,
                       size_t nvr,
                       const fmi2Real *value);

/*
 There are no Integer inputs or parameters: fmi2Error unless `nvr` is 0.
 */
fmi2Status fmi2SetInteger(fmi2Component c,
                          const fmi2ValueReference *vr,
                          size_t nvr,
                          const fmi2Integer *value);

/*
 Sets the parameter of the hold mode, the only Boolean that can be set.
 */
fmi2Status fmi2SetBoolean(fmi2Component c,
                          const fmi2ValueReference *vr,
                          size_t nvr,
                          const fmi2Boolean *value);

/*
 There are no String parameters: fmi2Error unless `nvr` is 0.
 */
fmi2Status fmi2SetString(fmi2Component c,
                         const fmi2ValueReference *vr,
                         size_t nvr,
                         const fmi2String *value);

/*
 Stores the whole state: in a new object when `*FMUstate` is NULL, else in that object.
 */
fmi2Status fmi2GetFMUstate(fmi2Component c,
                           fmi2FMUstate *FMUstate);

/*
 Continues from a stored state, also one of another instance of the same FMU.
 */
fmi2Status fmi2SetFMUstate(fmi2Component c,
                           fmi2FMUstate FMUstate);

/*
 Frees a stored state and sets the pointer to NULL. NULL is ignored.
 */
fmi2Status fmi2FreeFMUstate(fmi2Component c,
                            fmi2FMUstate *FMUstate);

/*
 Number of bytes that fmi2SerializeFMUstate needs.
 */
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c,
                                      fmi2FMUstate FMUstate,
                                      size_t *size);

/*
 Writes a stored state as bytes.
 */
fmi2Status fmi2SerializeFMUstate(fmi2Component c,
                                 fmi2FMUstate FMUstate,
                                 fmi2Byte *serializedState,
                                 size_t size);

/*
 Makes a new stored state of bytes, also from another process.
 */
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c,
                                   const fmi2Byte *serializedState,
                                   size_t size,
                                   fmi2FMUstate *FMUstate);

/*
 Σ ∂unknown/∂known · dvKnown, of Real outputs with respect to inputs.
 */
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                        const fmi2ValueReference *vUnknown_ref,
                                        size_t nUnknown,
                                        const fmi2ValueReference *vKnown_ref,
                                        size_t nKnown,
                                        const fmi2Real *dvKnown,
                                        fmi2Real *dvUnknown);

/*
 First time derivatives (order 1) of inputs, per s, from the next communication point on.
 */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c,
                                       const fmi2ValueReference *vr,
                                       size_t nvr,
                                       const fmi2Integer *order,
                                       const fmi2Real *value);

/*
 First time derivatives (order 1) of Real outputs, per s.
 */
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c,
                                        const fmi2ValueReference *vr,
                                        size_t nvr,
                                        const fmi2Integer *order,
                                        fmi2Real *value);

/*
 Integrates from `currentCommunicationPoint` over `communicationStepSize`, s.
 */
fmi2Status fmi2DoStep(fmi2Component c,
                      fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint);

/*
 Steps are synchronous, so there is never one to cancel: always fmi2Error.
 */
fmi2Status fmi2CancelStep(fmi2Component c);

/*
 Not available in a synchronous FMU: fmi2Discard.
 */
fmi2Status fmi2GetStatus(fmi2Component c,
                         fmi2StatusKind s,
                         fmi2Status *value);

/*
 fmi2LastSuccessfulTime: the time up to which the last step came, s.
 */
fmi2Status fmi2GetRealStatus(fmi2Component c,
                             fmi2StatusKind s,
                             fmi2Real *value);

/*
 Not available in a synchronous FMU: fmi2Discard.
 */
fmi2Status fmi2GetIntegerStatus(fmi2Component c,
                                fmi2StatusKind s,
                                fmi2Integer *value);

/*
 fmi2Terminated: true after a step that was interrupted.
 */
fmi2Status fmi2GetBooleanStatus(fmi2Component c,
                                fmi2StatusKind s,
                                fmi2Boolean *value);

/*
 Not available in a synchronous FMU: fmi2Discard.
 */
fmi2Status fmi2GetStringStatus(fmi2Component c,
                               fmi2StatusKind s,
                               fmi2String *value);

/*
 Holds the time: inputs and tunable parameters may be set.
 */
fmi2Status fmi2EnterEventMode(fmi2Component c);

/*
 There are no discrete states: nothing changes, no further call is needed, and no event is planned.
 */
fmi2Status fmi2NewDiscreteStates(fmi2Component c,
                                 fmi2EventInfo *fmi2eventInfo);

/*
 The importer begins to integrate.
 */
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);

/*
 The importer has accepted its step; neither an event nor the end of the simulation is asked for.
 */
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation);

/*
 Time in s, forward or back.
 */
fmi2Status fmi2SetTime(fmi2Component c,
                       fmi2Real time);

/*
 All continuous states, SI; one that is not finite: fmi2Discard, and nothing has changed.
 */
fmi2Status fmi2SetContinuousStates(fmi2Component c,
                                   const fmi2Real *x,
                                   size_t nx);

/*
 Derivatives of all continuous states, per s; fmi2Discard where they cannot be computed.
 */
fmi2Status fmi2GetDerivatives(fmi2Component c,
                              fmi2Real *derivatives,
                              size_t nx);

/*
 There are no event indicators: fmi2Error unless `ni` is 0.
 */
fmi2Status fmi2GetEventIndicators(fmi2Component c,
                                  fmi2Real *eventIndicators,
                                  size_t ni);

/*
 All continuous states as they were set, SI.
 */
fmi2Status fmi2GetContinuousStates(fmi2Component c,
                                   fmi2Real *x,
                                   size_t nx);

/*
 Sizes of the states that count, SI; they never change.
 */
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c,
                                             fmi2Real *x_nominal,
                                             size_t nx);

/*
 The version of the standard.
 */
const char *fmi3GetVersion(void);

/*
 Switches log categories on or off, others stay; an unknown one is an fmi3Warning.
 */
fmi3Status fmi3SetDebugLogging(fmi3Instance instance,
                               fmi3Boolean loggingOn,
                               size_t nCategories,
                               const fmi3String *categories);

/*
 A new instance, or NULL after the logger has been told why not.
 */
fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName,
                                          fmi3String instantiationToken,
                                          fmi3String resourcePath,
                                          fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage);

/*
 A new instance, or NULL after the logger has been told why not. `intermediateUpdate`, unless NULL, is called after
 every internal step of fmi3DoStep; from there the outputs in `requiredIntermediateVariables`, or all continuous
 outputs if there are none in it, may be read. Steps do not return early.
 */
fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName,
                                         fmi3String instantiationToken,
                                         fmi3String resourcePath,
                                         fmi3Boolean visible,
                                         fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed,
                                         fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference *requiredIntermediateVariables,
                                         size_t nRequiredIntermediateVariables,
                                         fmi3InstanceEnvironment instanceEnvironment,
                                         fmi3LogMessageCallback logMessage,
                                         fmi3IntermediateUpdateCallback intermediateUpdate);

/*
 NULL: this FMU is not for Scheduled Execution.
 */
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String instanceName,
                                               fmi3String instantiationToken,
                                               fmi3String resourcePath,
                                               fmi3Boolean visible,
                                               fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage,
                                               fmi3ClockUpdateCallback clockUpdate,
                                               fmi3LockPreemptionCallback lockPreemption,
                                               fmi3UnlockPreemptionCallback unlockPreemption);

/*
 Frees an instance. NULL is ignored.
 */
void fmi3FreeInstance(fmi3Instance instance);

/*
 Takes start and stop time in s; compiles the system if fixed parameters were set. The tolerance is not used.
 */
fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                       fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance,
                                       fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined,
                                       fmi3Float64 stopTime);

/*
 Computes the initial state and the outputs in it; step mode follows.
 */
fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);

/*
 Ends the simulation; values can still be read.
 */
fmi3Status fmi3Terminate(fmi3Instance instance);

/*
 Back to the state after the instantiation.
 */
fmi3Status fmi3Reset(fmi3Instance instance);

/*
 Number of knowns on which a variable depends; until the initialization mode ends, on which its initial value does.
 */
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies);

/*
 These knowns. All elements of a vector depend on the same, so every index of an element is 0.
 */
fmi3Status fmi3GetVariableDependencies(fmi3Instance instance,
                                       fmi3ValueReference dependent,
                                       size_t *elementIndicesOfDependent,
                                       fmi3ValueReference *independents,
                                       size_t *elementIndicesOfIndependents,
                                       fmi3DependencyKind *dependencyKinds,
                                       size_t nDependencies);

/*
 Stores the whole state: in a new object when `*FMUState` is NULL, else in that object.
 */
fmi3Status fmi3GetFMUState(fmi3Instance instance,
                           fmi3FMUState *FMUState);

/*
 Continues from a stored state, also one of another instance of the same FMU.
 */
fmi3Status fmi3SetFMUState(fmi3Instance instance,
                           fmi3FMUState FMUState);

/*
 Frees a stored state and sets the pointer to NULL. NULL is ignored.
 */
fmi3Status fmi3FreeFMUState(fmi3Instance instance,
                            fmi3FMUState *FMUState);

/*
 Number of bytes that fmi3SerializeFMUState needs.
 */
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance,
                                      fmi3FMUState FMUState,
                                      size_t *size);

/*
 Writes a stored state as bytes, which are the same in FMI 2.0.
 */
fmi3Status fmi3SerializeFMUState(fmi3Instance instance,
                                 fmi3FMUState FMUState,
                                 fmi3Byte *serializedState,
                                 size_t size);

/*
 Makes a new stored state of bytes, also from another process or from an instance of FMI 2.0 of the same model.
 */
fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                   const fmi3Byte *serializedState,
                                   size_t size,
                                   fmi3FMUState *FMUState);

/*
 Σ ∂unknown/∂known · seed, for every element of the unknowns; unknowns are Float64 outputs.
 */
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance,
                                        const fmi3ValueReference *unknowns,
                                        size_t nUnknowns,
                                        const fmi3ValueReference *knowns,
                                        size_t nKnowns,
                                        const fmi3Float64 *seed,
                                        size_t nSeed,
                                        fmi3Float64 *sensitivity,
                                        size_t nSensitivity);

/*
 Σ seed · ∂unknown/∂known over all elements of the unknowns, for every known.
 */
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance,
                                    const fmi3ValueReference *unknowns,
                                    size_t nUnknowns,
                                    const fmi3ValueReference *knowns,
                                    size_t nKnowns,
                                    const fmi3Float64 *seed,
                                    size_t nSeed,
                                    fmi3Float64 *sensitivity,
                                    size_t nSensitivity);

/*
 There are no Float32 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetFloat32(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          fmi3Float32 *values,
                          size_t nValues);

/*
 Values of Float64 variables, SI; those of a vector follow each other.
 */
fmi3Status fmi3GetFloat64(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          fmi3Float64 *values,
                          size_t nValues);

/*
 There are no Int8 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetInt8(fmi3Instance instance,
                       const fmi3ValueReference *valueReferences,
                       size_t nValueReferences,
                       fmi3Int8 *values,
                       size_t nValues);

/*
 There are no UInt8 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetUInt8(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        fmi3UInt8 *values,
                        size_t nValues);

/*
 There are no Int16 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetInt16(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        fmi3Int16 *values,
                        size_t nValues);

/*
 There are no UInt16 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetUInt16(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         fmi3UInt16 *values,
                         size_t nValues);

/*
 Values of Int32 variables.
 */
fmi3Status fmi3GetInt32(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        fmi3Int32 *values,
                        size_t nValues);

/*
 There are no UInt32 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetUInt32(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         fmi3UInt32 *values,
                         size_t nValues);

/*
 There are no Int64 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetInt64(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        fmi3Int64 *values,
                        size_t nValues);

/*
 There are no UInt64 variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetUInt64(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         fmi3UInt64 *values,
                         size_t nValues);

/*
 Values of Boolean variables: fmi3True or fmi3False.
 */
fmi3Status fmi3GetBoolean(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          fmi3Boolean *values,
                          size_t nValues);

/*
 There are no String variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetString(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         fmi3String *values,
                         size_t nValues);

/*
 There are no Binary variables: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3GetBinary(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         size_t *valueSizes,
                         fmi3Binary *values,
                         size_t nValues);

/*
 There are no Float32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetFloat32(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          const fmi3Float32 *values,
                          size_t nValues);

/*
 Sets inputs and parameters, SI.
 */
fmi3Status fmi3SetFloat64(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          const fmi3Float64 *values,
                          size_t nValues);

/*
 There are no Int8 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetInt8(fmi3Instance instance,
                       const fmi3ValueReference *valueReferences,
                       size_t nValueReferences,
                       const fmi3Int8 *values,
                       size_t nValues);

/*
 There are no UInt8 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetUInt8(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        const fmi3UInt8 *values,
                        size_t nValues);

/*
 There are no Int16 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetInt16(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        const fmi3Int16 *values,
                        size_t nValues);

/*
 There are no UInt16 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetUInt16(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         const fmi3UInt16 *values,
                         size_t nValues);

/*
 There are no Int32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetInt32(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        const fmi3Int32 *values,
                        size_t nValues);

/*
 There are no UInt32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetUInt32(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         const fmi3UInt32 *values,
                         size_t nValues);

/*
 There are no Int64 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetInt64(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        const fmi3Int64 *values,
                        size_t nValues);

/*
 There are no UInt64 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetUInt64(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         const fmi3UInt64 *values,
                         size_t nValues);

/*
 Sets the parameter of the hold mode, the only Boolean that can be set.
 */
fmi3Status fmi3SetBoolean(fmi3Instance instance,
                          const fmi3ValueReference *valueReferences,
                          size_t nValueReferences,
                          const fmi3Boolean *values,
                          size_t nValues);

/*
 There are no String inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetString(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         const fmi3String *values,
                         size_t nValues);

/*
 There are no Binary inputs or parameters: fmi3Error unless `nValueReferences` is 0.
 */
fmi3Status fmi3SetBinary(fmi3Instance instance,
                         const fmi3ValueReference *valueReferences,
                         size_t nValueReferences,
                         const size_t *valueSizes,
                         const fmi3Binary *values,
                         size_t nValues);

/*
 Integrates from `currentCommunicationPoint` over `communicationStepSize`, s. Never asks for event handling and never
 returns early: fmi3Warning where an intermediate update asked for that.
 */
fmi3Status fmi3DoStep(fmi3Instance instance,
                      fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded,
                      fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn,
                      fmi3Float64 *lastSuccessfulTime);

/*
 First time derivatives (order 1) of Float64 outputs, per s; those of a vector follow each other.
 */
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference *valueReferences,
                                    size_t nValueReferences,
                                    const fmi3Int32 *orders,
                                    fmi3Float64 *values,
                                    size_t nValues);

/*
 Holds the time: inputs and tunable parameters may be set. In Co-Simulation fmi3Error.
 */
fmi3Status fmi3EnterEventMode(fmi3Instance instance);

/*
 There are no discrete states: nothing is done. In Co-Simulation fmi3Error.
 */
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance);

/*
 There are no discrete states: nothing changes, no further call is needed, and no event is planned. In Co-Simulation
 fmi3Error.
 */
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance,
                                    fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined,
                                    fmi3Float64 *nextEventTime);

/*
 fmi3Error.
 */
fmi3Status fmi3EnterStepMode(fmi3Instance instance);

/*
 fmi3Error.
 */
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance);

/*
 fmi3Error.
 */
fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance);

/*
 fmi3Error.
 */
fmi3Status fmi3ActivateModelPartition(fmi3Instance instance,
                                      fmi3ValueReference clockReference,
                                      fmi3Float64 activationTime);

/*
 fmi3Error.
 */
fmi3Status fmi3GetClock(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        fmi3Clock *values);

/*
 fmi3Error.
 */
fmi3Status fmi3SetClock(fmi3Instance instance,
                        const fmi3ValueReference *valueReferences,
                        size_t nValueReferences,
                        const fmi3Clock *values);

/*
 fmi3Error.
 */
fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference *valueReferences,
                                  size_t nValueReferences,
                                  fmi3Float64 *intervals,
                                  fmi3IntervalQualifier *qualifiers);

/*
 fmi3Error.
 */
fmi3Status fmi3GetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference *valueReferences,
                                   size_t nValueReferences,
                                   fmi3UInt64 *counters,
                                   fmi3UInt64 *resolutions,
                                   fmi3IntervalQualifier *qualifiers);

/*
 fmi3Error.
 */
fmi3Status fmi3GetShiftDecimal(fmi3Instance instance,
                               const fmi3ValueReference *valueReferences,
                               size_t nValueReferences,
                               fmi3Float64 *shifts);

/*
 fmi3Error.
 */
fmi3Status fmi3GetShiftFraction(fmi3Instance instance,
                                const fmi3ValueReference *valueReferences,
                                size_t nValueReferences,
                                fmi3UInt64 *counters,
                                fmi3UInt64 *resolutions);

/*
 fmi3Error.
 */
fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference *valueReferences,
                                  size_t nValueReferences,
                                  const fmi3Float64 *intervals);

/*
 fmi3Error.
 */
fmi3Status fmi3SetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference *valueReferences,
                                   size_t nValueReferences,
                                   const fmi3UInt64 *counters,
                                   const fmi3UInt64 *resolutions);

/*
 fmi3Error.
 */
fmi3Status fmi3SetShiftDecimal(fmi3Instance instance,
                               const fmi3ValueReference *valueReferences,
                               size_t nValueReferences,
                               const fmi3Float64 *shifts);

/*
 fmi3Error.
 */
fmi3Status fmi3SetShiftFraction(fmi3Instance instance,
                                const fmi3ValueReference *valueReferences,
                                size_t nValueReferences,
                                const fmi3UInt64 *counters,
                                const fmi3UInt64 *resolutions);

/*
 The importer begins to integrate.
 */
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance);

/*
 The importer has accepted its step; neither an event nor the end of the simulation is asked for.
 */
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation);

/*
 Time in s, forward or back.
 */
fmi3Status fmi3SetTime(fmi3Instance instance,
                       fmi3Float64 time);

/*
 All continuous states, SI; one that is not finite: fmi3Discard, and nothing has changed.
 */
fmi3Status fmi3SetContinuousStates(fmi3Instance instance,
                                   const fmi3Float64 *continuousStates,
                                   size_t nContinuousStates);

/*
 Derivatives of all continuous states, per s; fmi3Discard where they cannot be computed.
 */
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                             fmi3Float64 *derivatives,
                                             size_t nContinuousStates);

/*
 There are no event indicators: fmi3Error unless `nEventIndicators` is 0.
 */
fmi3Status fmi3GetEventIndicators(fmi3Instance instance,
                                  fmi3Float64 *eventIndicators,
                                  size_t nEventIndicators);

/*
 All continuous states as they were set, SI.
 */
fmi3Status fmi3GetContinuousStates(fmi3Instance instance,
                                   fmi3Float64 *continuousStates,
                                   size_t nContinuousStates);

/*
 Sizes of the states that count, SI; they never change.
 */
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance,
                                             fmi3Float64 *nominals,
                                             size_t nContinuousStates);

/*
 0.
 */
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance,
                                          size_t *nEventIndicators);

/*
 Number of continuous states; it never changes.
 */
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance,
                                           size_t *nContinuousStates);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BALLESTA_H */
