/*
 * The functions that the library of a ballesta FMU exports: FMI 2.0 for Co-Simulation.
 * Generated from src/fmi/exports/ by the test fmi_header; BALLESTA_REWRITE=1 writes it anew.
 * Needs the official headers of the standard (fmi2Functions.h and what it includes) on the include path.
 */

#ifndef BALLESTA_H
#define BALLESTA_H

#include "fmi2Functions.h"

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
 There are no Boolean inputs or parameters: fmi2Error unless `nvr` is 0.
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
 fmi2Error.
 */
fmi2Status fmi2EnterEventMode(fmi2Component c);

/*
 fmi2Error.
 */
fmi2Status fmi2NewDiscreteStates(fmi2Component c,
                                 fmi2EventInfo *fmi2eventInfo);

/*
 fmi2Error.
 */
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);

/*
 fmi2Error.
 */
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation);

/*
 fmi2Error.
 */
fmi2Status fmi2SetTime(fmi2Component c,
                       fmi2Real time);

/*
 fmi2Error.
 */
fmi2Status fmi2SetContinuousStates(fmi2Component c,
                                   const fmi2Real *x,
                                   size_t nx);

/*
 fmi2Error.
 */
fmi2Status fmi2GetDerivatives(fmi2Component c,
                              fmi2Real *derivatives,
                              size_t nx);

/*
 fmi2Error.
 */
fmi2Status fmi2GetEventIndicators(fmi2Component c,
                                  fmi2Real *eventIndicators,
                                  size_t ni);

/*
 fmi2Error.
 */
fmi2Status fmi2GetContinuousStates(fmi2Component c,
                                   fmi2Real *x,
                                   size_t nx);

/*
 fmi2Error.
 */
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c,
                                             fmi2Real *x_nominal,
                                             size_t nx);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BALLESTA_H */
